import { z } from 'zod';
import { webhookTypes } from '#shared/domain/webhook/types.ts';
import { boundedText } from '#shared/platform/http/texts.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import { refuseUrl } from './refuse-url.ts';

/** The settings of an endpoint, as operators, merchants and their staff write them. */
export const endpointUrl = z
  .string()
  .min(1, 'must not be empty')
  .max(2048, 'must have at most 2048 characters')
  .meta({ description: 'An `https:` URL with a public address.' });

export const endpointTypes = z
  .array(z.enum(webhookTypes))
  .min(1)
  .meta({ description: 'The types of webhooks that are sent to it.' });

export const endpointDescription = boundedText(200).meta({ description: 'For people.' });

/** @throws Problem invalid_request for a URL that webhooks are not sent to */
export function refuseEndpointUrl(url: string, options: { allowPrivate: boolean }): void {
  const refused = refuseUrl(url, options);
  if (refused !== undefined)
    throw invalidRequest([{ pointer: '/url', code: 'field_invalid', detail: refused.en }]);
}
