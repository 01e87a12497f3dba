// <form data-confirm="dialog-id">: the dialog asks before the form is sent.
// Its button with value "yes" sends it.
addEventListener('submit', (event) => {
  const form = event.target instanceof HTMLFormElement ? event.target : null;
  const dialog = form && document.getElementById(form.dataset.confirm ?? '');
  if (!(dialog instanceof HTMLDialogElement) || form.dataset.confirmed !== undefined) return;
  event.preventDefault();
  const { submitter } = event;
  dialog.addEventListener(
    'close',
    () => {
      if (dialog.returnValue !== 'yes') return;
      form.dataset.confirmed = '';
      form.requestSubmit(submitter);
    },
    { once: true },
  );
  dialog.returnValue = '';
  dialog.showModal();
});
