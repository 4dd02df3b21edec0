// A checkpoint's numbers, from its own model.safetensors: the encodings of course_lib/stored_numbers.py.
const GROUP = 32; // int6: so many neighbours in a row share a scale
const SCALE = ".scale"; // the second stored tensor of a table

function fromBase64(text, into) { // the bytes of `text` into a Uint8Array
  if (into.setFromBase64) return into.setFromBase64(text);
  const raw = atob(text);
  for (let i = 0; i < raw.length; i++) into[i] = raw.charCodeAt(i);
}

function float16(bits) {
  const sign = bits & 0x8000 ? -1 : 1,
    exponent = bits >> 10 & 31,
    fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
const half = (raw, i) => float16(raw[2 * i] | raw[2 * i + 1] << 8);

function fromInt6(packed, { data: scales }, [rows, bytes], room) { // -31 ... 31, four in three bytes
  const dim = bytes / 3 * 4,
    groups = Math.ceil(dim / GROUP),
    data = room(rows * dim);
  for (let row = 0, from = 0, to = 0; row < rows; row++)
    for (let group = 0; group < groups; group++) {
      const scale = scales[row * groups + group],
        end = row * dim + Math.min(dim, (group + 1) * GROUP);
      for (; to < end; from += 3) {
        const a = packed[from],
          b = packed[from + 1],
          c = packed[from + 2];
        data[to++] = ((a & 63) - 31) * scale;
        data[to++] = ((a >> 6 | b << 2 & 63) - 31) * scale;
        data[to++] = ((b >> 4 | c << 4 & 63) - 31) * scale;
        data[to++] = ((c >> 2) - 31) * scale;
      }
    }
  return { shape: [rows, dim], data };
}

function fromInt8(raw, scales, [rows, dim], room) { // each row has a scale
  const of = new DataView(scales.buffer, scales.byteOffset),
    data = room(rows * dim);
  for (let row = 0, i = 0; row < rows; row++) {
    const scale = of.getFloat32(4 * row, true);
    for (const end = i + dim; i < end; i++) data[i] = (raw[i] << 24 >> 24) * scale;
  }
  return { shape: [rows, dim], data };
}

function fromFloats(raw, dtype, shape, room) {
  const count = shape.reduce((a, b) => a * b, 1),
    data = room(count),
    of = new DataView(raw.buffer, raw.byteOffset);
  for (let i = 0; i < count; i++) data[i] = dtype === "F16" ? half(raw, i) : of.getFloat32(4 * i, true);
  return { shape, data };
}

const startOf = bytes => 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true); // of the numbers
const headerOf = bytes => JSON.parse(new TextDecoder().decode(bytes.subarray(8, startOf(bytes))));

function decode(bytes, encodings, room) { // -> {name: {shape, data: Float32Array out of `room`}}
  const start = startOf(bytes),
    header = headerOf(bytes);
  const part = name => bytes.subarray(...header[name].data_offsets.map(offset => start + offset));
  const found = {};
  for (const [name, { dtype, shape }] of Object.entries(header)) {
    if (name === "__metadata__" || name.endsWith(SCALE)) continue;
    if (encodings[name] === "int6") {
      const scale = header[name + SCALE],
        scales = fromFloats(part(name + SCALE), scale.dtype, scale.shape, n => new Float32Array(n));
      found[name] = fromInt6(part(name), scales, shape, room);
    }
    else if (encodings[name] === "int8 rows") found[name] = fromInt8(part(name), part(name + SCALE), shape, room);
    else if (dtype === "F16" || dtype === "F32") found[name] = fromFloats(part(name), dtype, shape, room);
    else throw new Error(`${name} is stored as ${dtype}, which this page does not read.`);
  }
  return found;
}
