"""Small .npy files, whole and damaged, and what numpy.load(allow_pickle=False) makes of them: writes test/reference/npy.json."""
import base64
import io
import json
import os
import random

import numpy as np
from numpy.lib import format as npy

random.seed(1)
corpus = []


def verdict(content):
    stream = io.BytesIO(content)
    try:
        array = np.load(stream, allow_pickle=False)
    except Exception:
        return {"refused": True}
    result = {"shape": list(array.shape), "kind": array.dtype.kind, "rest": len(content) - stream.tell()}
    if array.dtype.kind in "biuf":
        flat = array.ravel()
        result["values"] = [str(int(v)) if array.dtype.kind in "iu" else float(v).hex() for v in flat]
        result["decimal"] = [repr(float(v)) for v in flat]
    if array.dtype.kind == "U":
        result["values"] = [str(v) for v in array.ravel()]
    return result


def add(name, content):
    corpus.append({"name": name, "bytes": base64.b64encode(content).decode(), **verdict(content)})


def saved(array, version=None):
    stream = io.BytesIO()
    npy.write_array(stream, array, version=version, allow_pickle=False)
    return stream.getvalue()


A = np.array([[1.5, -2, 1 / 3], [4, 5e-300, 6]])
for dtype in ["<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "<c16"]:
    add(dtype, saved(A.astype(dtype)))
for dtype in ["i1", "i2", "<i4", ">i4", "<i8", ">i8", "u1", ">u2", "<u4", "<u8"]:
    add(dtype, saved(np.array([[1, 2, 3], [4, 5, 127]]).astype(dtype)))
add("negative", saved(np.array([[-1, -128], [3, 4]], "i1")))
add("bool", saved(np.array([[True], [False]])))
add("halves", saved(np.array([0.0, -0.0, 6e-8, 65504, np.inf, np.nan, 1 / 3], "<f2")))
add("fortran", saved(np.asfortranarray(A)))
add("text", saved(np.array(["oil", "water", "gäs😀"])))
add("text big-endian", saved(np.array(["oil", "water"]).astype(">U5")))
add("rank 0", saved(np.array(3.5)))
add("rank 1", saved(np.array([3.5, 4.5])))
add("rank 3", saved(np.arange(12.0).reshape(2, 3, 2)))
add("rank 3 fortran", saved(np.asfortranarray(np.arange(12.0).reshape(2, 3, 2))))
add("no rows", saved(np.zeros((0, 3))))
add("exact 2^53", saved(np.array([[2**53, -(2**53)]])))
add("2^53 + 1", saved(np.array([[1, 2**53 + 1]])))
add("2^64 - 1", saved(np.array([[2**64 - 1]], "u8")))
add("version 2", saved(A, (2, 0)))
add("version 3", saved(A, (3, 0)))
add("records", saved(np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f8")])))
add("dates", saved(np.array(["2020-01-01"], "M8[D]")))

whole = saved(A)


def header(text, version=(1, 0), body=whole[128:]):
    encoded = text.encode("latin1")
    length = len(encoded).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + bytes(version) + length + encoded + body


plain = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n"
for name, text in {
    "unpadded": plain,
    "double quotes": plain.replace("'", '"'),
    "other order": "{'shape': (2, 3), 'descr': '<f8', 'fortran_order': False}\n",
    "negative shape": plain.replace("(2, 3)", "(-2, -3)"),
    "half negative shape": plain.replace("(2, 3)", "(-1, 3)"),
    "overflowing shape": plain.replace("(2, 3)", "(4611686018427387904, 4)"),
    "huge shape": plain.replace("(2, 3)", "(99999999999999999999999, 3)"),
    "shape no tuple": plain.replace("(2, 3)", "(6)"),
    "shape of floats": plain.replace("(2, 3)", "(2.0, 3)"),
    "shape of text": plain.replace("(2, 3)", "'(2, 3)'"),
    "shape a list": plain.replace("(2, 3)", "[2, 3]"),
    "expression": plain.replace("(2, 3)", "(1+1, 3)"),
    "call": plain.replace("(2, 3)", "tuple([2, 3])"),
    "no dictionary": "('<f8', False, (2, 3))\n",
    "key lacks": "{'descr': '<f8', 'shape': (2, 3), }\n",
    "key too many": plain.replace(", }", ", 'more': 1}"),
    "order 1": plain.replace("False", "1"),
    "order none": plain.replace("False", "None"),
    "descr number": plain.replace("'<f8'", "8"),
    "descr unknown": plain.replace("<f8", "<q9"),
    "descr empty": plain.replace("<f8", ""),
    "object": plain.replace("<f8", "|O"),
    "open brace": plain.replace("}", ""),
    "twice": plain.strip() + plain,
    "long shape 2L": plain.replace("(2, 3)", "(2L, 3L)"),
    "one": plain.replace("(2, 3)", "(6,)"),
    "missing comma": plain.replace("False,", "False"),
    "empty": "\n",
    "double comma": plain.replace("False,", "False,,"),
}.items():
    add("header: " + name, header(text))
add("header: ends early", header(plain)[:40])
add("header: none", b"\x93NUMPY\x01\x00")
add("header: longer than the file", whole[:8] + b"\xff\xff" + whole[10:])
add("version 0", whole[:6] + b"\x00\x00" + whole[8:])
add("version 4", whole[:6] + b"\x04\x00" + whole[8:])
add("version 1.1", whole[:6] + b"\x01\x01" + whole[8:])
add("cut short", whole[:-1])
add("trailing", whole + b"\x00")
add("two arrays", whole + whole)
add("another magic", b"\x93NUMPZ" + whole[6:])
add("one byte", b"\x93")
for k in range(300):
    damaged = bytearray(whole)
    for _ in range(random.randint(1, 3)):
        damaged[random.randrange(128)] = random.randrange(256)
    add(f"damaged {k}", bytes(damaged))

path = os.path.join(os.path.dirname(__file__), "..", "..", "npy.json")
with open(path, "w") as out:
    json.dump({"numpy": np.__version__, "corpus": corpus}, out, ensure_ascii=False, separators=(",", ":"))
    out.write("\n")
print(len(corpus), "files,", sum("refused" in entry for entry in corpus), "refused")
