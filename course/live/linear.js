// One product, x times a matrix, twice: in WebAssembly with four numbers an instruction (linear.wat), and in plain
// JavaScript where WebAssembly is missing or forbidden. All numbers of a model, weights and states, lie in one memory.
const LINEAR_WASM = "@@linear.wasm@@"; // linear.wat, assembled, in base64

// out[i][j] = x[i] . w[j] + bias[j], i < n, j < m, over k numbers. Strides in numbers. m and k: multiples of 4.
function linearInJavaScript(out, x, w, bias, n, m, k, outStride = m, xStride = k, wStride = k) {
  for (let j = 0; j < m; j++)
    for (let i = 0; i < n; i++) {
      let a = 0,
        b = 0,
        c = 0,
        d = 0;
      for (let p = i * xStride, q = j * wStride, end = p + k; p < end; p += 4, q += 4) {
        a += x[p] * w[q];
        b += x[p + 1] * w[q + 1];
        c += x[p + 2] * w[q + 2];
        d += x[p + 3] * w[q + 3];
      }
      out[i * outStride + j] = a + b + (c + d) + (bias ? bias[j] : 0);
    }
}

function linearInWebAssembly(memory) {
  const bytes = new Uint8Array(LINEAR_WASM.length * 3 / 4 - LINEAR_WASM.match(/=*$/)[0].length);
  fromBase64(LINEAR_WASM, bytes);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { page: { memory } });
  return (out, x, w, bias, n, m, k, outStride = m, xStride = k, wStride = k) =>
    exports.linear(out.byteOffset, x.byteOffset, w.byteOffset, bias ? bias.byteOffset : 0, n, m, k,
      4 * outStride, 4 * xStride, 4 * wStride);
}

function engine(numbers, wasm = true) { // room for so many numbers, and the product over them
  const size = 4 * numbers + 64;
  let buffer = null,
    linear = linearInJavaScript,
    kind = "JavaScript";
  try {
    if (wasm) {
      const memory = new WebAssembly.Memory({ initial: Math.ceil(size / 65536) });
      linear = linearInWebAssembly(memory);
      [buffer, kind] = [memory.buffer, "WebAssembly"];
    }
  } catch { /* no SIMD in this browser, or a policy against it */ }
  buffer ??= new ArrayBuffer(size);
  let used = 64; // address 0 means: no bias
  const room = count => {
    const here = new Float32Array(buffer, used, count);
    used += 4 * count + 15 & ~15;
    return here;
  };
  return { room, linear, kind };
}
