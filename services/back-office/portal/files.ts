import { siteFiles } from '../frame/site-files.ts';
import { portalName } from './database.ts';

export const portalFiles = siteFiles(portalName);
