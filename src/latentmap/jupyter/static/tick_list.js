// A list of names to tick, with a search field, and buttons for all that are found.

function button(text, title, act) {
  const made = document.createElement("button");
  made.textContent = text;
  made.title = title;
  made.onclick = act;
  return made;
}

function render({ model, el }) {
  el.classList.add("latentmap-tick-list");
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search");
  const list = document.createElement("div");
  list.className = "latentmap-names";
  const count = document.createElement("span");

  const found = () => model.get("names").filter((name) => name.toLowerCase().includes(search.value.toLowerCase()));
  const choose = (chosen) => {
    const all = new Set(chosen);
    model.set("chosen", model.get("names").filter((name) => all.has(name)));
    model.save_changes();
  };
  const without = (names) => {
    const gone = new Set(names);
    return model.get("chosen").filter((name) => !gone.has(name));
  };

  const head = document.createElement("div");
  head.className = "latentmap-head";
  head.append(
    search,
    button("all", "Tick all that are listed.", () => choose([...model.get("chosen"), ...found()])),
    button("none", "Untick all that are listed.", () => choose(without(found()))),
  );

  const line = (name) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = name;
    box.onchange = () => choose(box.checked ? [...model.get("chosen"), name] : without([name]));
    label.append(box, ` ${name}`);
    label.title = name;
    return label;
  };
  const tick = () => {
    const chosen = new Set(model.get("chosen"));
    for (const box of list.querySelectorAll("input")) box.checked = chosen.has(box.value);
    const names = model.get("names");
    const ticked = names.filter((name) => chosen.has(name)).length;
    count.textContent = names.length ? `${ticked} of ${names.length} ticked` : "";
  };
  const show = () => {
    list.replaceChildren(...found().map(line));
    if (!model.get("names").length) list.textContent = "No features yet.";
    else if (!list.children.length) list.textContent = "None is called so.";
    tick();
  };

  search.oninput = show;
  model.on("change:names", show);
  model.on("change:chosen", tick);
  el.append(head, list, count);
  show();
  return () => {
    model.off("change:names", show);
    model.off("change:chosen", tick);
  };
}

export default { render };
