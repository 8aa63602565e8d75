// Where the plain build of the kernels multiplies and adds, and the one with fused multiply-add does both at once. Two instructions of
// the first, of three bytes each, stand where the second has one: the first build, with these places filled in, is the second, so that a
// page loads one module and a short list of places.

/** In double and in single precision: f64x2 and f32x4 .mul, .add and .relaxed_madd. */
const PRECISIONS = [
  { multiply: [0xfd, 0xf2, 0x01], add: [0xfd, 0xf0, 0x01], fused: [0xfd, 0x87, 0x02] },
  { multiply: [0xfd, 0xe6, 0x01], add: [0xfd, 0xe4, 0x01], fused: [0xfd, 0x85, 0x02] },
];
const WIDTH = 3;
const CODE_SECTION = 10;

/**
 * @param plain - a module; mul, something, add in the place of
 * @param fused - something, relaxed_madd of this one, which is otherwise the same
 * @returns the places of multiplications in `plain` and of the additions that take them, in bytes, by turns, each counted from the one
 *   before
 * @throws Error when the modules differ in anything else
 */
export function fusionsOf(plain, fused) {
  const [ours, theirs] = [functionsOf(plain), functionsOf(fused)];
  if (ours.length !== theirs.length) throw new Error('The builds of the kernels differ in their functions.');
  const places = ours.flatMap((own, i) => alignedPlaces(plain, own, fused, theirs[i], i));
  if (places.length === 0) throw new Error('The build with fused multiply-add has none.');
  return places.map((place, i) => place - (i === 0 ? 0 : places[i - 1]));
}

function alignedPlaces(plain, [start, end], fused, [otherStart, otherEnd], number) {
  const places = [];
  const open = [];
  let [i, j] = [start, otherStart];
  while (i < end || j < otherEnd) {
    if (open.length > 0 && PRECISIONS.some(({ add, fused: both }) => isAt(plain, i, add) && isAt(fused, j, both))) {
      places.push(open.pop(), i);
      i += WIDTH;
      j += WIDTH;
    } else if (PRECISIONS.some(({ multiply }) => isAt(plain, i, multiply) && !isAt(fused, j, multiply))) {
      open.push(i);
      i += WIDTH;
    } else if (plain[i] === fused[j]) {
      i++;
      j++;
    } else {
      throw new Error(`The builds of the kernels differ in function ${number}, beyond what is multiplied and added.`);
    }
  }
  if (open.length > 0) throw new Error(`Function ${number} of the kernels multiplies without adding.`);
  return places;
}

const isAt = (bytes, place, instruction) => instruction.every((byte, k) => bytes[place + k] === byte);

/** Start and end of the body of each function of a module. */
function functionsOf(bytes) {
  let place = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[place++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (place < bytes.length) {
    const section = bytes[place++];
    const end = number() + place;
    if (section === CODE_SECTION) {
      return Array.from({ length: number() }, () => {
        const size = number();
        place += size;
        return [place - size, place];
      });
    }
    place = end;
  }
  throw new Error('The module has no code.');
}
