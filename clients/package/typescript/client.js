import { endpoints } from './api.js';
import { repeat } from './repeat.js';
/** POST endpoints that only read: safe to repeat after any failure. */
const readsByPost = new Set(['getOperationState']);
/** What would be another change the second time. */
const once = new Set([
    'createWebhookEndpoint',
    'deleteWebhookEndpoint',
    'rotateWebhookSecret',
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
 * A client of the merchant API. A call is repeated until it has a final answer, or its deadline has
 * passed; a refusal is a value with a code.
 * @throws when the options can't work; the text never shows the key
 */
export function createClient(options) {
    const { deadlineMs = 60_000, attemptMs = 20_000, clock = realClock, onRetry } = options;
    const origin = originOf(options);
    const key = keyOf(options);
    const send = options.fetch ?? fetch;
    const call = async (id, sent, given = {}) => {
        const { method, answers, problems } = endpoints[id];
        const { path, ...body } = written(id, sent);
        const requestId = given.requestId ?? crypto.randomUUID();
        const headers = {
            accept: answers.as === 'csv' ? 'text/csv' : 'application/json',
            'x-api-key': key,
            'x-request-id': requestId,
            ...(body.contentType !== undefined && { 'content-type': body.contentType }),
        };
        const init = { method, headers, ...(body.body !== undefined && { body: body.body }) };
        const request = { url: `${origin}${path}`, init, answers, codes: problems };
        const reads = method === 'GET' || readsByPost.has(id);
        const sending = { request, requestId, reads, once: once.has(id), send, clock, onRetry };
        const patience = {
            deadlineMs: given.deadlineMs ?? deadlineMs,
            attemptMs,
            signal: given.signal,
        };
        return repeat(sending, patience);
    };
    const methodOf = (id) => (...args) => endpoints[id].sends === 'nothing' ? call(id, {}, args[0]) : call(id, args[0] ?? {}, args[1]);
    const ids = Object.keys(endpoints);
    // OpenAPI defines each endpoint's request and response; the gateway's tests hold it to the
    // document.
    return Object.fromEntries(ids.map((id) => [id, methodOf(id)]));
}
/** Written once, so that every attempt sends the same bytes. */
function written(id, given) {
    const { path: template, sends } = endpoints[id];
    const named = new Set();
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => {
        named.add(name);
        return encodeURIComponent(String(given[name]));
    });
    const fields = Object.fromEntries(Object.entries(given).filter(([name]) => !named.has(name)));
    switch (sends) {
        case 'json':
            return { path, body: JSON.stringify(fields), contentType: 'application/json' };
        case 'form':
            return { path, body: formOf(fields) };
        case 'csv':
            return { path, body: fields['file'], contentType: 'text/csv' };
        case 'query':
            return { path: `${path}${queryOf(fields)}` };
        case 'path':
        case 'nothing':
            return { path };
    }
}
function queryOf(fields) {
    const sent = Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]]);
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
