"use strict";
// Counts the groups of the data anew when somebody chooses among them. Texts from outside only ever become text.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.querySelector(".filters");
  const [AT, WHEN, SIDE, N, RATING, RATED, TERMS] = [0, 1, 2, 3, 4, 5, 6];
  const make = (tag, text, kind) => {
    const one = document.createElement(tag);
    if (text !== undefined) one.textContent = text;
    if (kind) one.className = kind;
    return one;
  };
  const percent = (part, whole) => (whole ? (100 * part / whole).toFixed(1) + "%" : "–");
  const grouped = (value) => value.toLocaleString("en-US");
  const offer = (name, values) => {
    const box = form.elements[name];
    values.forEach((value, index) => {
      const option = make("option", value);
      option.value = index;
      box.append(option);
    });
    box.closest("label").hidden = values.length < 2;
  };
  // reviews, then those of each side; `share` of a group is what of it counts
  const tally = (groups, share = (group) => group[N]) => {
    const found = [0, 0, 0, 0];
    for (const group of groups) {
      found[0] += share(group);
      found[1 + group[SIDE]] += share(group);
    }
    return found;
  };
  const bars = (section, rows, most) => {
    const list = make("div", undefined, "live");
    for (const [name, [n, bad, middling, good]] of rows) {
      list.append(make("p", `${name} · ${grouped(n)} · ${data.texts.positive} ${percent(good, n)}`));
      const bar = make("div", undefined, "bar");
      bar.style.width = `${(100 * (most ? n / most : 1)).toFixed(1)}%`;
      [["positive", good], ["neutral", middling], ["negative", bad]].forEach(([side, part]) => {
        const piece = make("span", undefined, side);
        piece.style.flexGrow = part;
        piece.title = `${data.texts[side]} ${grouped(part)}`;
        bar.append(piece);
      });
      list.append(bar);
    }
    if (!rows.length) list.append(make("p", data.texts.none));
    show(section, list);
  };
  const show = (name, list) => {
    const heading = document.getElementById(name);
    const section = heading && heading.closest("section");
    if (!section) return;
    section.querySelectorAll(".live").forEach((one) => one.remove());
    section.classList.toggle("filtered", Boolean(list));
    if (list) section.append(list);
  };
  const card = (name, value, note) => {
    const one = document.querySelector(`[data-card="${name}"]`);
    if (!one) return;
    const [number, said] = [one.querySelector("strong"), one.querySelector("p:last-child")];
    one.querySelectorAll(".up, .down").forEach((change) => { change.hidden = value !== undefined; });
    for (const [part, now] of [[number, value], [said, note]]) {
      if (!part) continue;
      part.dataset.whole ??= part.textContent;
      part.textContent = now ?? part.dataset.whole;
    }
  };
  const of = (part, whole) => data.texts.of.replace("{part}", grouped(part)).replace("{whole}", grouped(whole));
  const refresh = () => {
    const at = form.elements.product.value;
    const [from, to] = [form.elements.from.value, form.elements.to.value];
    const chosen = at !== "" || from !== "" || to !== "";
    const fits = (one) => (at === "" || one[AT] === Number(at)) && (from === "" || one[WHEN] >= Number(from))
      && (to === "" || (one[WHEN] <= Number(to) && one[WHEN] >= 0));
    document.querySelectorAll(".summary, [data-card='complaint']").forEach((one) => { one.hidden = chosen; });
    form.elements.reset.disabled = !chosen;
    if (!chosen) {
      ["trend", "sentiment", "keywords", "quotes"].forEach((name) => show(name, null));
      ["reviews", "positive", "rating", "negative"].forEach((name) => card(name));
      return;
    }
    const groups = data.groups.filter(fits);
    const [n, bad, , good] = tally(groups);
    const sum = (column) => groups.reduce((whole, group) => whole + group[column], 0);
    card("reviews", grouped(n), "");
    card("positive", percent(good, n), of(good, n));
    card("negative", percent(bad, n), of(bad, n));
    const mean = sum(RATED) ? (sum(RATING) / sum(RATED)).toFixed(2) : "–";
    card("rating", data.high ? `${mean} / ${data.high}` : mean, "");
    const rows = (names, column) => names
      .map((name, index) => [name, tally(groups.filter((group) => group[column] === index))])
      .filter(([, found]) => found[0]);
    bars("trend", rows(data.periods, WHEN));
    bars("sentiment", rows(data.products, AT));
    const terms = data.terms.map((name, index) => [name, tally(groups, (group) => group[TERMS + index])])
      .filter(([, found]) => found[0]).sort((one, other) => other[1][0] - one[1][0]);
    bars("keywords", terms, terms.length ? terms[0][1][0] : 0);
    const list = make("div", undefined, "live");
    data.quotes.filter((quote) => quote[SIDE] === 0 && fits(quote)).slice(0, 5).forEach(([, , , text, source]) => {
      const quote = make("blockquote");
      quote.append(make("p", text), make("cite", source));
      list.append(quote);
    });
    if (!list.children.length) list.append(make("p", data.texts.none));
    show("quotes", list);
  };
  offer("product", data.products);
  offer("from", data.periods);
  offer("to", data.periods);
  form.addEventListener("change", refresh);
  form.addEventListener("reset", () => setTimeout(refresh));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
})();
