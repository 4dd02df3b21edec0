const SHAPES = ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0", "M-4.5 -4.5h9v9h-9z", "M0 -6L5.6 4.4H-5.6z"]; // one a sense
const SCALE = 999,
  TRAITS = ["word", "stop", "dot", "typed"],
  PAUSE = 3000; // ms on a stop while it plays
const shape = (sense, size) => s("path", { d: SHAPES[sense], class: `s${sense}`, transform: `scale(${size})` });

export default {
  render({ model, el }) {
    const stories = model.get("stories"),
      set = setter(model),
      t = teller(model),
      { get, under } = reader(model),
      start = stateOf(model, TRAITS);
    const st = stage(el, t("One word through the generations"));
    st.root.classList.add("cw-gen");
    const story = () => stories[get("word")],
      stop = () => story().stops[get("stop")];
    const best = of => Object.entries(of.baselines).sort((a, b) => b[1] - a[1])[0];
    const enough = ({ baselines, sentences, stops }, right) => // nearer to all than to chance, and none is better
      2 * right > sentences.length + (baselines.chance ?? 0) && stops.every(one => right >= one.right);

    const finding = () => {
      const { word, senses, sentences } = story(), { name, one, right } = stop(),
        n = sentences.length,
        kinds = senses.map(one => t(one));
      const values = { system: t(name), n, word, right };
      values.senses = kinds.slice(0, -1).join(", ") + t("list| and ") + kinds.at(-1);
      if (one) return t("{system}: {n} times “{word}”, one dot. It cannot tell {senses} apart.", values);
      const without = best(story()),
        says = t("{system}: {right} of {n} “{word}” lie with their own kind.", values);
      if (!without) return says;
      const of = { name: t(without[0]), right: without[1] };
      return `${says} ${enough(story(), of.right)
        ? t("For this word counting its neighbours is enough: {name}, {right}.", of)
        : t("Without a network, {name}: {right}.", of)}`;
    };

    // controls
    const choose = word =>
      set({ word, dot: -1, stop: Math.min(model.get("stop"), stories[word].stops.length - 1) });
    const words = h("div", { class: "words", role: "group", "aria-label": t("word") },
      stories.map((one, i) => button(one.word, () => choose(i))));
    let timer = null;
    const halt = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = t("▶ play");
    };
    const next = () => {
      const to = model.get("stop") + 1;
      if (to < story().stops.length) set({ stop: to });
      if (to >= story().stops.length - 1) halt();
    };
    const play = button(t("▶ play"), () => {
      if (timer !== null) return halt();
      if (model.get("stop") >= story().stops.length - 1) set({ stop: 0 });
      play.textContent = t("❚❚ pause");
      timer = setInterval(next, PAUSE);
    });
    let way;
    const goBox = h("div", { class: "go" });

    function waySlider() { // a story in another language may have fewer stops
      way = slider({
        label: t("system"),
        min: 0,
        max: story().stops.length - 1,
        value: model.get("stop"),
        show: i => t(story().stops[i].name),
        oninput: to => {
          halt();
          set({ stop: to });
        }
      });
      goBox.replaceChildren(way.node);
    }
    const reset = button(t("reset"), () => {
      halt();
      set(start);
    });
    const controls = h("div", { class: "row" }, words, h("div", { class: "row time" }, goBox, play, reset));

    // the map
    const svg = s("svg", {
      class: "map",
      ...played(t("Map of the word's occurrences. Arrow keys go from one to the next."))
    });
    const legend = h("div", { class: "legend" }),
      bars = h("ol", { class: "bars" }),
      without = h("ul", {}),
      counts = h("div", { class: "counts" }, h("h5", {}, t("occurrences that lie with their own kind")), bars,
        h("h5", {}, t("without a network: the upright marks above")), without),
      read = h("p", { class: "read" }),
      note = h("p", { class: "note" });
    const form = ownSentence(model, t("your own sentence with the word; two can be compared"),
      changes => set({ ...changes, dot: -1 }));
    const mine = () => (model.get("own") ?? []).filter(one => one.word === model.get("word"));
    const body = h("div", { class: "panels" }, svg, h("div", { class: "side" }, legend, controls, counts, read, form));
    st.root.append(body, h("details", {}, h("summary", {}, t("How it is drawn and counted")), note));

    let size = 0,
      dots = [],
      rings, thread, all, shown = null;
    const middle = ([x, y]) => [size / 2 + x / SCALE * (size / 2 - 22), size / 2 - y / SCALE * (size / 2 - 22)],
      place = at => `translate(${middle(at).join("px,")}px)`;

    function build() { // a new word: its dots, legend and bars
      shown = model.get("word");
      const { senses, sentences, stops } = story();
      thread = s("line", { class: "thread" });
      all = s("text", { class: "all", "text-anchor": "middle" }, `${sentences.length} × “${story().word}”`);
      rings = [1, 2].map(i =>
        s("g", { class: "ring" }, s("circle", { r: 11 }), s("text", { y: 4, "text-anchor": "middle" }, String(i))));
      dots = sentences.map(([before, token, after, sense], i) =>
        s("g", {
            class: "dot",
            onpointerenter: () => set({ dot: i }),
            onclick: () => set({ dot: i })
          }, s("circle", { class: "hit", r: 14 }), shape(sense, 1.4),
          s("title", {}, `${before} ${token} ${after}`)));
      svg.replaceChildren(thread, all, ...dots, ...rings);
      legend.replaceChildren(...senses.map((name, i) =>
        h("span", {}, s("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14" }, shape(i, 1)), t(name))));
      const marks = Object.entries(story().baselines);
      const row = (named, right, marked) =>
        h("li", {}, named, h("span", { class: "bar" }, h("i", { style: `width:${100 * right / sentences.length}%` }),
            marked.map(([name, right]) =>
              h("b", { title: `${t(name)}: ${right}`, style: `left:${100 * right / sentences.length}%` }))),
          h("span", {}, t("{right} of {n}", { right, n: sentences.length })));
      const named = (name, i) => h("button", { type: "button", ...KEYS, onclick: () => set({ stop: i }) }, t(name));
      bars.replaceChildren(...stops.map(({ name, right }, i) => row(named(name, i), right, marks)));
      without.replaceChildren(...marks.map(mark => row(h("span", {}, t(mark[0])), mark[1], [mark])));
      without.hidden = without.previousSibling.hidden = !marks.length;
      waySlider();
      [...words.children].forEach((node, i) => {
        node.classList.toggle("tab", true);
        node.classList.toggle("on", i === shown);
        node.setAttribute("aria-pressed", i === shown);
      });
    }

    function sentence(i) {
      const { sentences, senses } = story(),
        [before, token, after, sense] = sentences[i],
        [left, word, right, other] = sentences[stop().near[i]];
      const kin = other === sense ? t("the same sense") : t("another sense: {sense}", { sense: t(senses[other]) });
      const near = { sense: t(senses[sense]), sentence: `${left} ${word} ${right}`, kin };
      return [h("span", {}, before, " ", h("b", {}, token), " ", after), h("br", {}),
        h("span", { class: "soft" }, stop().one ? t("All occurrences are this one dot.")
          : t("{sense}; nearest: “{sentence}”, {kin}", near))];
    }

    function ownSaid() {
      const at = model.get("stop"),
        absent = t("this system is not in the page; one that can be loaded has a button below"),
        says = kind => kind == null ? absent : kind < 0 ? t("no kind is nearer")
        : t("with {sense}", { sense: t(story().senses[kind]) });
      return mine().flatMap(({ text, kinds }, i) => [h("span", {}, text), h("br", {}),
        h("span", { class: "soft" }, t("Your sentence, ring {n}: {says}.", { n: i + 1, says: says(kinds[at]) })),
        h("br", {})]);
    }

    function layout() {
      attrs(svg, { width: size, height: size, viewBox: `0 0 ${size} ${size}` });
      const { places, near } = stop(),
        at = model.get("dot");
      svg.classList.toggle("one", stop().one); // one shape in the other, that each kind is seen
      attrs(all, { x: size / 2, y: size / 2 + 44 });
      dots.forEach((node, i) => {
        node.style.transform = place(places[i]);
        node.classList.toggle("on", i === at);
        attrs(node, { "data-x": places[i][0], "data-y": places[i][1] });
      });
      const pointed = at >= 0 && !stop().one;
      thread.style.opacity = pointed ? 1 : 0;
      if (pointed) {
        const [x1, y1] = middle(places[at]),
          [x2, y2] = middle(places[near[at]]);
        attrs(thread, { x1, y1, x2, y2 });
        thread.classList.toggle("right", story().sentences[at][3] === story().sentences[near[at]][3]);
      }
      rings.forEach((ring, i) => {
        const to = mine()[i]?.places[model.get("stop")];
        ring.style.display = to ? "" : "none";
        if (to) ring.style.transform = place(to);
        if (to) attrs(ring, { "data-x": to[0], "data-y": to[1] });
      });
    }

    function draw() {
      const last = story().stops.length - 1;
      if (model.get("stop") > last) return set({ stop: last }); // a typed sentence has changed the word alone
      if (shown !== model.get("word")) build();
      way.set(model.get("stop"));
      [...bars.children].forEach((node, i) => node.classList.toggle("on", i === model.get("stop")));
      const at = model.get("dot"),
        trouble = model.get("trouble");
      read.replaceChildren(...(at >= 0 ? sentence(at) : trouble ? [trouble] : mine().length ? ownSaid()
        : [h("span", { class: "soft" }, t("Point at a dot: its sentence, and the one that lies nearest."))]));
      note.textContent = about();
      st.tell(finding());
      svg.dataset.stop = model.get("stop");
      svg.dataset.word = story().word;
      if (size) layout();
    }

    function about() {
      return t("Each system's own two main directions, which hold {share} of the spread, turned to lie "
        + "nearest to the stop before; no direction knows the senses. The number counts in all directions: each "
        + "occurrence, left out, against the mean of each kind.", { share: share(stop().held) });
    }
    const each = stories.flatMap(({ stops }, word) => stops.map((_, stop) => ({ word, stop })));
    onArrows(svg, (down, right) => {
      const n = story().sentences.length;
      set({ dot: (model.get("dot") + down + right + n) % n });
    });
    st.root.addEventListener("keydown", event => {
      if (event.target.tagName === "INPUT" && event.target.type === "text") return;
      const to = +event.key - 1;
      if (to >= 0 && to < story().stops.length) set({ stop: to });
      else if (event.key === " " && event.target.tagName !== "BUTTON") {
        event.preventDefault();
        play.click();
      }
    });
    // Told to, it plays once by itself when half of the map is in sight; what a reader does first ends that.
    const still = matchMedia("(prefers-reduced-motion: reduce)"); // asked when it matters: a reader may change it
    const seen = new IntersectionObserver(entries => { // several at once where the page was busy: the last holds
      if (entries.at(-1).intersectionRatio < .5) return;
      seen.disconnect();
      if (!still.matches) play.click();
    }, { threshold: .5 });
    if (model.get("plays")) seen.observe(svg);
    for (const kind of ["pointerdown", "keydown"])
      st.root.addEventListener(kind, event => {
        seen.disconnect();
        if (!play.contains(event.target) && event.key !== " ") halt(); // these two press `play`, which ends it, too
      }, true);
    const leave = st.live(model, [...TRAITS, "own", "trouble"], draw, now => {
      body.classList.toggle("wide", now >= 640);
      size = now >= 640 ? Math.min(now / 2, 420) : Math.min(now, 420);
      layout();
      bars.style.minHeight = `${33 * Math.max(...stories.map(({ stops }) => stops.length))}px`;
    }, () => under(each, finding));
    return () => {
      seen.disconnect();
      clearInterval(timer);
      leave();
    };
  }
};
