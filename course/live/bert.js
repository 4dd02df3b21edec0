// BERT's forward pass, as course_lib/models/bert.py, transformer.py and attention.py compute it, a row at a time.
// A matrix of n rows lies row after row in one array. d: d_model.
function erf(x) { // Numerical Recipes, section 6.2.2: off by less than 1.2e-7
  const t = 1 / (1 + .5 * Math.abs(x));
  const sum = -1.26551223 + t * (1.00002368 + t * (.37409196 + t * (.09678418 + t * (-.18628806 + t * (.27886807 +
    t * (-1.13520398 + t * (1.48851587 + t * (-.82215223 + t * .17087277))))))));
  const rest = t * Math.exp(sum - x * x);
  return x >= 0 ? 1 - rest : rest - 1;
}
const gelu = (x, count) => {
  for (let i = 0; i < count; i++) x[i] = .5 * x[i] * (1 + erf(x[i] * Math.SQRT1_2));
};

function layerNorm(out, x, { weight, bias }, n, d, eps) {
  for (let start = 0; start < n * d; start += d) {
    let mean = 0,
      variance = 0;
    for (let j = 0; j < d; j++) mean += x[start + j] / d;
    for (let j = 0; j < d; j++) variance += (x[start + j] - mean) ** 2 / d;
    const scale = 1 / Math.sqrt(variance + eps);
    for (let j = 0; j < d; j++) out[start + j] = (x[start + j] - mean) * scale;
    if (weight)
      for (let j = 0; j < d; j++) out[start + j] = out[start + j] * weight[j] + bias[j];
  }
}

function softmax(row) {
  let top = -Infinity,
    sum = 0;
  for (let i = 0; i < row.length; i++)
    if (row[i] > top) top = row[i];
  for (let i = 0; i < row.length; i++) sum += row[i] = Math.exp(row[i] - top);
  for (let i = 0; i < row.length; i++) row[i] /= sum;
}

const SPARE = 4; // the product wants multiples of four: rows of scores are padded up to the next one
// What a Bert of this config needs besides its weights, in numbers.
const bertScratch = ({ max_units, d_model, d_ff, vocab_size }) =>
  (max_units + SPARE) * (7 * d_model + d_ff + max_units + SPARE) + vocab_size + 64;

function Bert({ config, tensors, pieces, room, linear }) {
  const { d_model: d, n_heads, n_layers, d_ff, max_units, layer_norm_eps: eps, vocab_size } = config,
  dim = d / n_heads,
    normFirst = config.norm === "pre";
  const table = name => tensors[name]?.data, // a network of the reader's own may lack biases, scales and shifts
    pair = name => ({ weight: table(`${name}.weight`), bias: table(`${name}.bias`) });
  const [tokens, positions, segments] = ["tokens", "positions", "segments"].map(part =>
    table(`embedding.${part}.weight`));
  const layers = Array.from({ length: n_layers }, (_, number) => {
    const part = name => pair(`stack.layers.${number}.${name}`);
    return {
      query: part("attention.query"),
      key: part("attention.key"),
      value: part("attention.value"),
      output: part("attention.output"),
      inner: part("feed_forward.inner"),
      outer: part("feed_forward.outer"),
      attentionNorm: part("attention_residual.norm"),
      feedForwardNorm: part("feed_forward_residual.norm")
    };
  });
  const stackNorm = normFirst ? pair("stack.norm") : null,
    hasMlm = !(config.fresh_heads ?? []).includes("mlm"), // a published file may hold no head for gaps
    mlm = hasMlm ? { dense: pair("mlm.dense"), norm: pair("mlm.norm"), bias: table("mlm.bias") } : null;

  const rows = max_units + SPARE,
    [x, y, query, key, value, heads] = Array.from({ length: 6 }, () => room(rows * d)),
    turned = room(d * rows),
    inner = room(rows * d_ff),
    scores = room(rows * rows),
    scored = room(vocab_size + SPARE);
  const apply = (out, from, { weight, bias }, n, m, k) => linear(out, from, weight, bias, n, m, k);

  // Attention of y to itself, into y: per head softmax(Q K^T / sqrt(dim)) V. The weights into `kept` [head, n, n].
  function attention(own, n, kept) {
    const padded = n + 3 & ~3;
    apply(query, y, own.query, n, d, d);
    apply(key, y, own.key, n, d, d);
    apply(value, y, own.value, n, d, d);
    key.fill(0, n * d, padded * d);
    for (let c = 0; c < d; c++)
      for (let i = 0; i < padded; i++) turned[c * padded + i] = i < n ? value[i * d + c] : 0;
    for (let head = 0; head < n_heads; head++) {
      const from = head * dim;
      linear(scores, query.subarray(from), key.subarray(from), null, n, padded, dim, padded, d, d);
      for (let i = 0; i < n; i++) {
        const row = scores.subarray(i * padded, i * padded + n);
        for (let j = 0; j < n; j++) row[j] /= Math.sqrt(dim);
        softmax(row);
        scores.fill(0, i * padded + n, (i + 1) * padded);
        kept.set(row, (head * n + i) * n);
      }
      linear(heads.subarray(from), scores, turned.subarray(from * padded), null, n, dim, padded, d, padded, padded);
    }
    apply(y, heads, own.output, n, d, d);
  }

  function feedForward(own, n) {
    apply(inner, y, own.inner, n, d_ff, d);
    gelu(inner, n * d_ff);
    apply(y, inner, own.outer, n, d, d_ff);
  }

  // Post-norm: LayerNorm(x + f(x)). Pre-norm: x + f(LayerNorm(x)). f works on y.
  function residual(norm, n, sublayer) {
    if (normFirst) layerNorm(y, x, norm, n, d, eps);
    else y.set(x.subarray(0, n * d));
    sublayer();
    for (let i = 0; i < n * d; i++) x[i] += y[i];
    if (!normFirst) layerNorm(x, x, norm, n, d, eps);
  }

  function guess(place) { // what stands there? A probability for each piece; the token table is the output layer, too
    const state = x.subarray(place * d, place * d + d),
      probabilities = scored.subarray(0, vocab_size);
    if (mlm.dense.weight) {
      apply(y, state, mlm.dense, 1, d, d);
      gelu(y, d);
      layerNorm(y, y, mlm.norm, 1, d, eps);
    }
    else y.set(state);
    linear(scored, y, tokens, mlm.bias, 1, vocab_size + 3 & ~3, d); // what lies behind the table is scored, not read
    softmax(probabilities);
    return probabilities.slice();
  }

  // ids: a row, [CLS] and [SEP] included, as `pieces` gives them; columns: the places of gaps; second: where the second
  // text of a pair begins.
  // -> hiddenStates: the embedding's, then each layer's; attentions [layer, head, query, key]; of each gap the
  //    probabilities of all pieces
  function forward(ids, columns = [], second = Infinity) {
    const n = ids.length,
      attentions = new Float32Array(n_layers * n_heads * n * n),
      hiddenStates = [];
    for (let i = 0; i < n; i++)
      for (let j = 0, from = i < second ? 0 : d; j < d; j++)
        x[i * d + j] = tokens[ids[i] * d + j] + positions[i * d + j] + segments[from + j];
    layerNorm(x, x, pair("embedding.norm"), n, d, eps);
    layers.forEach((own, number) => {
      hiddenStates.push(x.slice(0, n * d));
      const kept = attentions.subarray(number * n_heads * n * n, (number + 1) * n_heads * n * n);
      residual(own.attentionNorm, n, () => attention(own, n, kept));
      residual(own.feedForwardNorm, n, () => feedForward(own, n));
    });
    if (normFirst) layerNorm(x, x, stackNorm, n, d, eps);
    hiddenStates.push(x.slice(0, n * d));
    return { hiddenStates, attentions, probabilities: columns.map(guess) };
  }

  function wordRow(words) { // their pieces, and the row of ids
    const split = pieces.split(words),
      ids = [pieces.cls, ...split.flat().map(([id]) => id), pieces.sep];
    if (ids.length > max_units)
      throw new Error(`The words have ${ids.length - 2} pieces; at most ${max_units - 2} fit.`);
    return { split, ids };
  }

  function encode(words) { // [layer][word]: a word's vector is that of its first piece
    const { split, ids } = wordRow(words);
    let next = 1;
    const places = split.map(found => (next += found.length) - found.length);
    return forward(ids).hiddenStates.map(states => places.map(i => states.subarray(i * d, (i + 1) * d)));
  }

  function wordWeights(words) { // [layer, head, word, word], as word_weights of course/lab/attention_heads.py
    const { split, ids } = wordRow(words), { attentions } = forward(ids),
      owner = split.flatMap((found, word) => found.map(() => word)),
      [n, m, all] = [ids.length, words.length, n_layers * n_heads],
      weights = new Float32Array(all * m * m);
    for (let head = 0; head < all; head++)
      owner.forEach((a, i) => owner.forEach((b, j) => {
        weights[(head * m + a) * m + b] += attentions[(head * n + i + 1) * n + j + 1] / split[a].length;
      }));
    return weights;
  }
  return { config, pieces, hasMlm, tensors, forward, encode, wordWeights };
}
