// Copy buttons: <button class="copy" data-copy="text" data-done="Copied" hidden>. Shown only where
// they work.
const shownForMs = 2000;

function show(root) {
  for (const button of root.querySelectorAll('button[data-copy][hidden]')) button.hidden = false;
}

/** Where the clipboard is closed to pages (plain http but for localhost), by way of a selection. */
function copyBySelection(text) {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

async function answer(button) {
  if (button.dataset.copied !== undefined || !(await copy(button.dataset.copy))) return;
  button.focus();
  const label = button.querySelector('[data-label]') ?? button;
  const before = label.textContent;
  button.dataset.copied = '';
  label.textContent = button.dataset.done;
  const live = document.querySelector('[data-announce]');
  if (live) live.textContent = button.dataset.done;
  setTimeout(() => {
    delete button.dataset.copied;
    label.textContent = before;
    // What was said since then stays.
    if (live?.textContent === button.dataset.done) live.textContent = '';
  }, shownForMs);
}

addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-copy]') : null;
  if (button) void answer(button);
});

show(document);
// Parts of a page that come later have buttons too.
new MutationObserver(() => show(document)).observe(document.body, {
  childList: true,
  subtree: true,
});
