"use strict";
// Filters findings, and the groups that have none left. Without it, the page just shows all.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  addEventListener("beforeprint", () => all(".group, .members").forEach((part) => { part.open = true; }));

  const form = document.querySelector(".filters");
  if (!form) return;
  const telling = (element) => all(".finding", element).map((finding) => ({
    finding,
    word: ["excused", "error", "warning", "info", "undecided"].find((word) => finding.classList.contains(word)),
    rule: finding.querySelector(".rule").hash.slice(1),
    times: 1 + all("i[id]", finding).length, // one for each group that it is about
  }));
  const lower = (code) => code.textContent.toLowerCase();
  const parts = [...all(".group"), ...all(".elsewhere")].map((element) => ({
    element,
    entry: document.querySelector(`.index [data-group="${element.id}"]`),
    groups: Number(element.dataset.members ?? 0),
    title: lower(element.querySelector("code")),
    members: all(".members li, .names li", element).map((member) => ({ member, name: lower(member.querySelector("code")) })),
    findings: telling(element),
  }));
  const status = form.querySelector(".status");
  const section = document.querySelector(".others");

  const apply = () => {
    const words = new Set(all("[name=word]:checked", form).map((box) => box.value));
    const rule = form.elements.rule.value;
    const name = form.elements.group.value.trim().toLowerCase();
    const narrowed = rule !== "" || words.size < all("[name=word]", form).length;
    let found = 0;
    let shown = 0;
    for (const { element, entry, groups, title, members, findings } of parts) {
      let left = 0;
      for (const each of findings) {
        const fits = words.has(each.word) && (rule === "" || each.rule === rule);
        each.finding.hidden = !fits;
        if (fits) left += each.times;
      }
      const named = members.filter((each) => each.name.includes(name));
      for (const each of members) each.member.hidden = named.length > 0 && !named.includes(each);
      const list = element.querySelector(".members");
      if (list && name !== "" && named.length > 0 && !title.includes(name)) list.open = true;
      const seen = (title.includes(name) || named.length > 0) && (left > 0 || (!narrowed && findings.length === 0));
      element.hidden = !seen;
      if (entry) entry.hidden = !seen;
      if (!seen) continue;
      found += left;
      shown += groups;
    }
    if (section) section.hidden = all(".elsewhere").every((element) => element.hidden);
    status.textContent = `${plural(found, "finding")}, ${plural(shown, "node group")}`;
  };

  // What a link leads to is shown, whatever the filter says.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]")) {
      form.reset();
      apply();
    }
    for (let details = target.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
    target.scrollIntoView();
  };

  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", reveal);
  form.hidden = false;
  apply();
  reveal();
})();
