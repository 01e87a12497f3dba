/** The file of a form, from the form until it is confirmed: one for each session. */
export type UploadedFileTable = { session_hash: string; id: string; bytes: Buffer; held_at: Date };
