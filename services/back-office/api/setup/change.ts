export {
  commandShop,
  notDecided,
  pathId,
  readShop,
} from '#shared/application/directory/command-shop.ts';
