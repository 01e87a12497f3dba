import { endpoints } from './api.js';
import { repeat } from './repeat.js';
/** What changes nothing, however often it is asked and however it ends. */
const reads = new Set([
    'getOperationState',
    'listOperations',
    'getBalances',
    'listMethods',
]);
const realClock = {
    now: () => performance.now(),
    sleep: (ms, signal) => {
        const { promise, resolve, reject } = Promise.withResolvers();
        const stop = () => reject(signal?.reason);
        signal?.addEventListener('abort', stop, { once: true });
        const timer = setTimeout(resolve, ms);
        return promise.finally(() => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', stop);
        });
    },
    random: Math.random,
};
/**
 * A client of the merchant API. Every call is repeated until it has an answer that stays, or its
 * deadline comes; a refusal is a value with a code.
 * @throws when the options can't work; the text never shows the key
 */
export function createClient(options) {
    const { deadlineMs = 60_000, attemptMs = 20_000, clock = realClock, onRetry } = options;
    const origin = originOf(options);
    const key = keyOf(options);
    const send = options.fetch ?? fetch;
    const call = async (id, body, given = {}) => {
        const { method, path, problems } = endpoints[id];
        const requestId = given.requestId ?? crypto.randomUUID();
        const headers = {
            accept: 'application/json',
            'x-api-key': key,
            'x-request-id': requestId,
            ...(body.contentType !== undefined && { 'content-type': body.contentType }),
        };
        const init = { method, headers, ...(body.body !== undefined && { body: body.body }) };
        const request = { url: `${origin}${path}${body.query ?? ''}`, init, codes: problems };
        const sending = { request, requestId, reads: reads.has(id), send, clock, onRetry };
        const patience = {
            deadlineMs: given.deadlineMs ?? deadlineMs,
            attemptMs,
            signal: given.signal,
        };
        // The document says what this endpoint answers with; the gateway's tests hold it to the
        // document.
        return (await repeat(sending, patience));
    };
    return {
        createPayment: (request, given) => call('createPayment', json(request), given),
        createPaymentLink: (request, given) => call('createPaymentLink', json(request), given),
        createPayout: (request, given) => call('createPayout', json(request), given),
        getOperationState: (request, given) => call('getOperationState', json(request), given),
        listOperations: (request, given) => call('listOperations', { query: queryOf(request) }, given),
        cancelOperation: (request, given) => call('cancelOperation', json(request), given),
        confirmPayment: (request, given) => call('confirmPayment', { body: formOf(request) }, given),
        getBalances: (given) => call('getBalances', {}, given),
        listMethods: (given) => call('listMethods', {}, given),
    };
}
/** Written once, so that every attempt sends the same bytes. */
const json = (request) => ({
    body: JSON.stringify(request),
    contentType: 'application/json',
});
function queryOf(request) {
    const sent = Object.entries(request).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]]);
    return sent.length === 0 ? '' : `?${new URLSearchParams(sent).toString()}`;
}
function formOf({ receipt, ...fields }) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
        form.append(name, value);
    form.append('receipt', receipt, 'receipt.pdf');
    return form;
}
function originOf({ baseUrl, allowHttp = false }) {
    const url = new URL(baseUrl);
    const here = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (here || allowHttp))) {
        throw new Error('baseUrl must be https: the API key is for nobody else to read');
    }
    if (url.username || url.password || url.search || url.hash) {
        throw new Error('baseUrl must be an address without user, query or fragment');
    }
    return url.href.replace(/\/+$/, '');
}
function keyOf({ apiKey }) {
    if (!/^[\x21-\x7e]+$/.test(apiKey))
        throw new Error('apiKey is empty or has characters that no key has');
    return apiKey;
}
