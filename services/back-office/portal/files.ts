import { siteFiles } from '../frame/site-files.ts';

export const files = siteFiles('portal');
