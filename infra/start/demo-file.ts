import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateJson } from '../stores/private-json.ts';

/** The demo merchant, as far as it was created, in `DATA_DIR/demo.json`. */
export type Demo = {
  merchant_id?: string;
  shop_id?: string;
  webhook_secret?: string;
  /** The URL of the demo's receiver, as the last start set it. */
  webhook_url?: string;
  routes_set?: true;
  api_key?: string;
  /** Who signs in to the shop's portal. */
  member_id?: string;
};

const fileOf = (dataDir: string) => join(dataDir, 'demo.json');

/** The stored demo; empty before the first start. */
export function readDemo(dataDir: string): Demo {
  const file = fileOf(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Demo) : {};
}

/** Stores it in a file that only its owner can read. */
export function writeDemo(dataDir: string, demo: Demo): void {
  writePrivateJson(fileOf(dataDir), demo);
}
