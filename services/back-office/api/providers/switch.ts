import { z } from 'zod';
import { noteText } from '#shared/platform/http/texts.ts';

export const switchBody = z.strictObject({ reason: noteText });
