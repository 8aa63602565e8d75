"""Small tables as pyarrow, pandas' own engine, writes them: prints test/io/columnarFiles.ts. Needs pyarrow and numpy."""
import base64
import io

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

table = pa.table(
    {
        "id": pa.array([101, 57, 33], pa.int64()),
        "a": pa.array([1.5, None, -2.25]),
        "b": pa.array([1, 2, 4], pa.int32()),
        "kind": ["oil", "gas", "oil"],
        "flag": [True, False, True],
        "wide": pa.array([2**53 + 1, 1, 1], pa.int64()),
    }
)
print(f"/** What pyarrow {pa.__version__} and NumPy {np.__version__} write, in base64; made by test/reference/scripts/numpy/columnarFiles.py. */")
print("export const columnarFiles = {")


def show(name, content):
    print(f"  {name}:\n    '{base64.b64encode(content).decode()}',")


for codec in ["snappy", "zstd", "none", "gzip"]:
    out = io.BytesIO()
    parquet.write_table(table, out, compression=codec)
    show(f"{codec}Parquet", out.getvalue())
for codec in ["uncompressed", "lz4"]:
    out = io.BytesIO()
    feather.write_feather(table, out, compression=codec)
    show(f"{codec}Arrow", out.getvalue())
X = np.array([[1.5, -2], [3, 4], [5, 6]])
out = io.BytesIO()
np.savez(out, X=X, kind=np.array(["oil", "gas", "oil"]), time=np.array([3, 1, 2]))
show("npz", out.getvalue())
out = io.BytesIO()
np.savez_compressed(out, X)
show("oneArray", out.getvalue())
out = io.BytesIO()
np.savez(out, train=X, test=X)
show("twoTables", out.getvalue())
print("} as const;")
