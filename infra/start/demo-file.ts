import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateJson, writePrivateJson } from '../stores/private-json.ts';

const demoSchema = z.object({
  merchant_id: z.string().optional(),
  shop_id: z.string().optional(),
  webhook_secret: z.string().optional(),
  /** The URL of the demo's receiver, as the last start set it. */
  webhook_url: z.string().optional(),
  routes_set: z.literal(true).optional(),
  api_key: z.string().optional(),
  /** Who signs in to the shop's portal. */
  member_id: z.string().optional(),
});
/** The demo merchant, as far as it was created, in `DATA_DIR/demo.json`. */
export type Demo = z.infer<typeof demoSchema>;

const demoPath = (dataDir: string) => join(dataDir, 'demo.json');

/** The stored demo; empty before the first start. */
export function readDemo(dataDir: string): Demo {
  const file = demoPath(dataDir);
  return readPrivateJson(file, demoSchema) ?? {};
}

/** Stores it in a file that only its owner can read. */
export function writeDemo(dataDir: string, demo: Demo): void {
  writePrivateJson(demoPath(dataDir), demo);
}
