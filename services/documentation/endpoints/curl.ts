import type { Endpoint } from '#shared/api/openapi/endpoint.ts';

const key = `-H "X-API-Key: $API_KEY"`;

/** Hands a receipt over for `$OPERATION_ID`. */
export const confirmCommand = `curl -sS "$GATEWAY/v1/confirm_payment" ${key} \\
  -F operation_id=$OPERATION_ID -F confirmation_type=receipt -F receipt=@receipt.pdf`;

/** A curl command for an endpoint, with the variables of the guide. */
export function renderCurl(endpoint: Endpoint): string {
  const { method, path: template, needsKey, body } = endpoint;
  // A link is used as it was given.
  if (template.includes('{') && !needsKey) return 'curl -sS -o receipt.pdf "$RECEIPT_URL"';
  if (body?.contentType === 'multipart/form-data') return confirmCommand;
  const path = template.replaceAll(/{(\w+)}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const query = exampleQuery(endpoint);
  const usual = method === 'get' || (method === 'post' && body !== undefined);
  const url = `${usual ? '' : `-X ${method.toUpperCase()} `}"$GATEWAY${path}${query === '' ? '' : `?${query}`}"`;
  if (!body) return needsKey ? `curl -sS ${url} ${key}` : `curl -sSi ${url}`;
  if (body.contentType === 'text/csv')
    return `curl -sS ${url} \\\n  ${key} -H 'Content-Type: text/csv' \\\n  --data-binary @payouts.csv`;
  const json = JSON.stringify(findExample(body), null, 2).replaceAll("'", `'\\''`);
  return `curl -sS ${url} \\\n  ${key} -H 'Content-Type: application/json' \\\n  -d '${json}'`;
}

/** The query parameters that have an example. */
export function exampleQuery({ parameters = [] }: Pick<Endpoint, 'parameters'>): string {
  const queryPairs = parameters.flatMap(({ name, in: where, schema: { examples } }) =>
    where === 'query' && Array.isArray(examples) ? [`${name}=${String(examples[0])}`] : [],
  );
  return queryPairs.join('&');
}

/** The first one that needs nothing from an earlier request. */
function findExample({ examples = {} }: NonNullable<Endpoint['body']>): unknown {
  const values = Object.values(examples).map(({ value }) => value as object);
  return values.find((value) => !('operation_id' in value)) ?? values[0];
}
