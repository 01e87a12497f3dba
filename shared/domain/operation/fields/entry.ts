import type { z } from 'zod';
import type { Snapshot } from './snapshot.ts';

/** Where the operation object is shown: to merchants, and to operators. */
export type Place = 'create' | 'state' | 'list' | 'webhook' | 'operators';

/** How pages show a value; `texts` are texts by name. */
export type PageKind = 'text' | 'code' | 'id' | 'time' | 'check' | 'texts';

/** A text that a create may have, or must. */
export type RequestText = {
  required: boolean;
  /** In code points; as long as an identifier unless given. */
  maxCodePoints?: number;
  /** For who sends it, in OpenAPI. */
  about: string;
  example: string;
};

/** All that is known of a field of the operation object (R5.1). */
export type FieldEntry = {
  /** Of answers and webhooks; optional where the value may be absent. */
  schema: z.ZodType;
  /** One sentence for whoever reads the object, in OpenAPI. */
  about?: string;
  /** Undefined: the object does not have it. */
  value: (operation: Snapshot) => unknown;
  notIn?: readonly Place[];
  /**
   * The form of webhooks that first had a computed field which was added later: a message that was
   * recorded before stays as it is. Fields that were released together have one number.
   */
  webhookSince?: number;
  /** A text of the create, which is stored and shown as it was sent. */
  request?: RequestText;
  /** Personal: encrypted wherever it is stored, and gone once its client is erased. */
  sealed?: true;
  /** Of gateway.operations; the comment is for analysts. */
  column?: { type: string; comment: string };
  /** In CSV files of operations: the gateway's own text, that of others, or a time. */
  cell?: 'own' | 'foreign' | 'time';
  /** On an operation's page: for members the portal, for operators the console. */
  page?: {
    label: { ru: string; en: string };
    kind: PageKind;
    on: readonly ('portal' | 'console')[];
  };
};
