// ELMo's two language models over characters, as course_lib/models/lstm_lm.py and char_cnn.py compute them: each
// sentence from a zero state, between two boundaries. d: projection, the width of a state.
const UNKNOWN_CHARACTER = 1,
  BEGIN = 2,
  END = 3,
  MARKS = 4,
  BOUNDARY = "</s>",
  MOST_WORDS = 128;
const sigmoid = x => 1 / (1 + Math.exp(-x));

function Characters({ mode, max_length, characters }) { // a word -> the ids of its characters; both ends of a long one
  const ids = new Map(characters.map((sign, i) => [sign, i + MARKS]));
  const jamo = sign => { // a syllable of Hangul -> initial, medial, final
    const number = sign.codePointAt(0) - 0xAC00;
    if (number < 0 || number >= 11172) return [sign];
    const codes = [0x1100 + Math.floor(number / 588), 0x1161 + Math.floor(number / 28) % 21, 0x11A7 + number % 28];
    return codes.slice(0, number % 28 ? 3 : 2).map(code => String.fromCodePoint(code));
  };
  return word => {
    const composed = [...(visible(word) || word).normalize("NFC")],
      signs = mode === "jamo" ? composed.flatMap(jamo) : composed,
      most = max_length - 2,
      half = Math.floor(most / 2),
      kept = signs.length > most ? [...signs.slice(0, most - half), ...signs.slice(signs.length - half)] : signs;
    return [BEGIN, ...kept.map(sign => ids.get(sign) ?? UNKNOWN_CHARACTER), END];
  };
}

const total = filters => filters.reduce((sum, [, count]) => sum + count, 0);
// What a BiLM needs besides its weights, in numbers: the filters turned round, a word's places, a sentence's gates.
const bilmScratch = ({ hidden, projection, characters: { char_dim, filters } }) =>
  filters.reduce((sum, [width, count]) => sum + width * count * char_dim, 0) + 64 * (char_dim + 4 * total(filters)) +
  (MOST_WORDS + 2) * (4 * hidden + projection) + 32 * hidden + 1024;

function BiLM({ config, tensors, characters, vocabulary, room, linear }) {
  const { projection: d, hidden, n_layers, characters: { char_dim, filters, n_highway } } = config,
  features = total(filters),
    widest = Math.max(...filters.map(([width]) => width)),
    idsOf = Characters(characters);
  const table = name => tensors[name].data,
    pair = name => ({ weight: table(`${name}.weight`), bias: table(`${name}.bias`) });
  const letters = table("token.cnn.char_embedding.weight"),
    convolutions = filters.map(([width, count], number) => { // [filter, dim, place] -> [filter, place, dim]
      const { weight: stored, bias } = pair(`token.cnn.convolutions.${number}`),
        weight = room(stored.length);
      for (let f = 0; f < count; f++)
        for (let c = 0; c < char_dim; c++)
          for (let p = 0; p < width; p++)
            weight[(f * width + p) * char_dim + c] = stored[(f * char_dim + c) * width + p];
      return { width, count, weight, bias };
    }),
    highways = Array.from({ length: n_highway }, (_, number) => ({
      transform: pair(`token.cnn.highways.${number}.transform`),
      carry: pair(`token.cnn.highways.${number}.carry`)
    })),
    projection = pair("token.cnn.projection");
  const longest = Math.max(characters.max_length, widest),
    rows = room(longest * char_dim),
    places = room(longest * Math.max(...filters.map(([, count]) => count))),
    [x, transformed, carried] = Array.from({ length: 3 }, () => room(features)),
    output = room(d);
  const known = new Map(); // word -> its vector, of the word alone

  function wordVector(word) { // the character CNN: letters, convolutions, the largest of each filter, highways
    if (known.has(word)) return known.get(word);
    const ids = idsOf(word);
    for (let i = 0; i < Math.max(ids.length, widest); i++) {
      const id = ids[i] ?? 0;
      rows.set(letters.subarray(id * char_dim, (id + 1) * char_dim), i * char_dim);
    }
    let filter = 0;
    for (const { width, count, weight, bias } of convolutions) {
      const n = Math.max(1, ids.length - width + 1);
      linear(places, rows, weight, bias, n, count, width * char_dim, count, char_dim);
      for (let f = 0; f < count; f++, filter++) {
        x[filter] = 0; // relu
        for (let i = 0; i < n; i++) x[filter] = Math.max(x[filter], places[i * count + f]);
      }
    }
    for (const { transform, carry } of highways) {
      linear(transformed, x, transform.weight, transform.bias, 1, features, features);
      linear(carried, x, carry.weight, carry.bias, 1, features, features);
      for (let i = 0; i < features; i++) {
        const stay = sigmoid(carried[i]);
        x[i] = stay * x[i] + (1 - stay) * Math.max(0, transformed[i]);
      }
    }
    linear(output, x, projection.weight, projection.bias, 1, d, features);
    if (known.size > 5000) known.clear();
    known.set(word, output.slice());
    return known.get(word);
  }

  const lstm = (direction, number) => {
    const part = name => table(`lstms.${direction}_lstm.layers.${number}.${name}_l0`),
      bias = room(4 * hidden);
    bias.set(part("bias_ih").map((value, i) => value + part("bias_hh")[i]));
    return { input: part("weight_ih"), recurrent: part("weight_hh"), projection: part("weight_hr"), bias };
  };
  const [forward, backward] = ["forward", "backward"].map(direction =>
      Array.from({ length: n_layers }, (_, number) => lstm(direction, number))),
    gates = room((MOST_WORDS + 2) * 4 * hidden),
    states = room((MOST_WORDS + 2) * d),
    [sums, cell, shown, h] = [room(4 * hidden), room(hidden), room(hidden), room(d)];

  function step(own, at) { // gates in PyTorch's order: input, forget, cell, output
    linear(sums, h, own.recurrent, null, 1, 4 * hidden, d);
    for (let i = 0; i < 4 * hidden; i++) sums[i] += gates[at * 4 * hidden + i];
    for (let i = 0; i < hidden; i++) {
      cell[i] = sigmoid(sums[hidden + i]) * cell[i] + sigmoid(sums[i]) * Math.tanh(sums[2 * hidden + i]);
      shown[i] = sigmoid(sums[3 * hidden + i]) * Math.tanh(cell[i]);
    }
    linear(h, shown, own.projection, null, 1, d, hidden);
  }

  function read(layers, vectors) { // -> states [layer][step], in the order of reading
    vectors.forEach((vector, i) => states.set(vector, i * d));
    return layers.map((own, number) => {
      linear(gates, states, own.input, own.bias, vectors.length, 4 * hidden, d);
      h.fill(0);
      cell.fill(0);
      return vectors.map((_, at) => {
        step(own, at);
        const state = states.subarray(at * d, (at + 1) * d); // from the second layer on, its input is added
        for (let j = 0; j < d; j++) state[j] = h[j] + (number ? state[j] : 0);
        return state.slice();
      });
    });
  }

  function bothWays(words) { // -> {own, left, right}: vectors of the words, states [layer][step] of each direction
    if (words.length > MOST_WORDS) throw new Error(`The text has ${words.length} words; at most ${MOST_WORDS} fit.`);
    const own = words.map(wordVector),
      edge = wordVector(BOUNDARY),
      left = read(forward, [edge, ...own]),
      right = read(backward, [edge, ...[...own].reverse()]);
    return { own, left, right };
  }

  // A state -> the probability of each word: AdaptiveSoftmax of course_lib/models/word_softmax.py, the frequent words
  // and a sign for each rarer group, then inside the group.
  function likely(state) {
    const times = (name, x) => {
      const { data, shape: [rows, wide] } = tensors[`softmax.groups.${name}.weight`],
        out = new Float32Array(rows);
      for (let row = 0; row < rows; row++)
        for (let i = 0; i < wide; i++) out[row] += data[row * wide + i] * x[i];
      return out;
    };
    const head = times("head", state),
      [frequent] = config.cutoffs,
      p = new Float32Array(config.vocab_size);
    softmax(head);
    p.set(head.subarray(0, frequent));
    config.cutoffs.forEach((from, group) => {
      const inside = times(`tail.${group}.1`, times(`tail.${group}.0`, state));
      softmax(inside);
      p.set(inside.map(share => share * head[frequent + group]), from);
    });
    return p;
  }

  function expect(words) { // [direction][word]: what is expected there, from the words on that side only
    const { left, right } = bothWays(words);
    return [words.map((_, i) => likely(left.at(-1)[i])), words.map((_, i) =>
      likely(right.at(-1)[words.length - 1 - i]))];
  }

  function encode(words) { // [layer][word], each 2 * d numbers: from the left, then from the right
    const { own, left, right } = bothWays(words),
      both = (a, b) => Float32Array.of(...a, ...b);
    const upper = left.map((layer, number) =>
      words.map((_, i) => both(layer[i + 1], right[number][words.length - i])));
    return [own.map(vector => both(vector, vector)), ...upper];
  }
  return { config, words: vocabulary, encode, expect };
}
