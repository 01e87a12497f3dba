// The forms of the reference that send a request (with DEMO=1). What is typed stays in the page:
// nothing is kept.
const forms = [...document.querySelectorAll('form[data-try]')];
const fieldOf = (form, name) => form.querySelector(`[data-field="${name}"]`);
const fieldsOf = (name) => forms.map((form) => fieldOf(form, name)).filter(Boolean);

const now = Date.now().toString(36);
for (const area of fieldsOf('body'))
  area.value = area.value.replace(/"(order|payout)-1"/g, `"$1-${now}"`);
const demoKey = document.querySelector('[data-demo-key]')?.dataset.demoKey ?? '';
for (const input of fieldsOf('key')) {
  input.value = demoKey;
  // One key for all forms.
  input.addEventListener('input', () => {
    for (const other of fieldsOf('key')) other.value = input.value;
  });
}

function requestOf(form) {
  const [method, path] = form.dataset.try.split(' ');
  const headers = { 'X-API-Key': fieldOf(form, 'key').value.trim() };
  const query = fieldOf(form, 'query')?.value.trim();
  const url = query ? `${path}?${query}` : path;
  const json = fieldOf(form, 'body');
  if (json) {
    headers['Content-Type'] = 'application/json';
    return [url, { method, headers, body: json.value }];
  }
  const file = fieldOf(form, 'receipt');
  if (!file) return [url, { method, headers }];
  const body = new FormData();
  body.set('operation_id', fieldOf(form, 'operation_id').value.trim());
  body.set('confirmation_type', 'receipt');
  if (file.files[0]) body.set('receipt', file.files[0]);
  return [url, { method, headers, body }];
}

function pretty(text) {
  try {
    return [JSON.stringify(JSON.parse(text), null, 2), JSON.parse(text)];
  } catch {
    return [text, undefined];
  }
}

// What was created is what the other forms are about.
function pointTo(operationId) {
  for (const input of fieldsOf('operation_id')) input.value = operationId;
  for (const area of fieldsOf('body'))
    area.value = area.value.replace(/("operation_id": )"[^"]*"/, `$1"${operationId}"`);
}

function show(form, text, url) {
  const answer = form.querySelector('.answer');
  const block = document.createElement('pre');
  block.tabIndex = 0;
  block.setAttribute('role', 'group');
  block.setAttribute('aria-label', answer.dataset.answer);
  block.textContent = text;
  answer.replaceChildren(block);
  if (!url || !/^https?:/.test(url)) return;
  const link = Object.assign(document.createElement('a'), {
    href: url,
    target: '_blank',
    rel: 'noopener',
    textContent: form.dataset.page,
  });
  answer.append(link);
}

async function send(form) {
  const response = await fetch(...requestOf(form));
  const [text, body] = pretty(await response.text());
  const replayed = response.headers.get('Idempotent-Replayed') ? '\nIdempotent-Replayed: true' : '';
  show(form, `HTTP ${response.status}${replayed}\n\n${text}`, body?.payment_url);
  if (response.ok && body?.operation_id) pointTo(body.operation_id);
}

for (const form of forms) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).catch(() => show(form, form.dataset.none));
  });
}
