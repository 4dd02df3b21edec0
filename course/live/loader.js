// The scripts of a checkpoint (checkpoint_scripts.py) -> its bytes -> a model. Only what is asked for is loaded, once.
const arriving = {}; // name -> {about, bytes, here: the parts that have come}
const opened = {}; // name -> promise of the model
const BASE = new URL(".", document.currentScript?.src ?? location.href).href;
const live = {
  about: (name, about) => {
    arriving[name] = { about, bytes: new Uint8Array(about.bytes), here: new Set() };
  },
  part: (name, number, stamp, text) => {
    const { about, bytes, here } = arriving[name];
    if (stamp !== about.stamp) return; // of another version, from a cache
    fromBase64(text, bytes.subarray(number * about.part, (number + 1) * about.part));
    here.add(number);
  }
};
globalThis.course = { live };

const script = address => new Promise((resolve, reject) => {
  const node = document.createElement("script");
  node.src = address;
  node.onload = () => resolve(node.remove());
  const file = address.slice(BASE.length);
  node.onerror = () => reject(new Error(t("{file} does not load.", { file })), node.remove());
  document.head.append(node);
});
const twice = address => script(address).catch(() => script(address)); // a phone loses a packet

async function checkpoint(name, arrived) { // -> {about, bytes}; arrived(share of the parts)
  await twice(`${BASE}models/${name}/about.js`);
  if (!arriving[name]) throw new Error(t("models/{name}/about.js is damaged. Load the page again.", { name }));
  const { about, bytes, here } = arriving[name];
  await Promise.all(Array.from({ length: about.parts }, async (_, number) => {
    await twice(`${BASE}models/${name}/${number}.js`);
    const of = { name, number };
    if (!here.has(number)) // a script that throws has "loaded", too
      throw new Error(t("models/{name}/{number}.js is damaged or of another version. Load the page again.", of));
    arrived(here.size / about.parts);
  }));
  delete arriving[name];
  const zipped = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return { about, bytes: new Uint8Array(await new Response(zipped).arrayBuffer()) };
}

const KINDS = { // of checkpoints: what they need besides their weights, in numbers, and the model
  bert: [bertScratch, parts => Bert({ ...parts, pieces: piecesFromFiles(parts.files) })],
  bilm: [bilmScratch, parts => BiLM({
    ...parts,
    characters: JSON.parse(parts.files["characters.json"]),
    vocabulary: JSON.parse(parts.files["vocabulary.json"]).words
  })],
  "word-vectors": [() => 0, parts => WordVectors({ ...parts, words: JSON.parse(parts.files["words.json"]).words })],
  "review-words": [() => 0, parts => ReviewWords({ ...parts, terms: parts.files["terms.txt"].split("\n") })],
  "heads-on-a-body": [() => 0, Heads]
};

// The shipped model of this name, once per page. course.live.wasm = false: computed in plain JavaScript.
function load(name, arrived = () => {}) {
  return opened[name] ??= (async () => {
    const { about: { numbers }, bytes } = await checkpoint(name, arrived),
      stored = JSON.parse(headerOf(bytes).__metadata__.course), { config, encodings, files } = stored,
      [scratch, make] = KINDS[stored.kind], { room, linear, kind } = engine(numbers + scratch(config), live.wasm);
    const body = config.body && await load(config.body, arrived);
    return { name, kind, ...make({ config, files, tensors: decode(bytes, encodings, room), body, room, linear }) };
  })().catch(error => {
    delete opened[name];
    throw error;
  });
}
