export { createBatchAppend as createAppend } from './batch-append/batch-append.ts';
export { asClientError } from './reading/client-error.ts';
export { createReads } from './reading/open.ts';
