import type { Language } from '#shared/platform/pages/language.ts';
import type { Endpoint } from '#shared/api/openapi/endpoint.ts';

/** The purpose of an endpoint, in Russian; the English is its summary in the OpenAPI document. */
export const russianNames: Readonly<Record<string, string>> = {
  createPayment: 'Создать платёж',
  createPaymentLink: 'Создать платёж со страницей оплаты',
  createPayout: 'Создать выплату',
  checkPayoutBatch: 'Проверить файл выплат',
  confirmPayoutBatch: 'Подтвердить файл выплат',
  getPayoutBatch: 'Прочитать ход файла выплат',
  getPayoutBatchResult: 'Выгрузить итог файла выплат',
  getOperationState: 'Прочитать операцию',
  listOperations: 'Перечислить операции',
  cancelOperation: 'Отменить платёж',
  confirmPayment: 'Подтвердить платёж чеком',
  getBalances: 'Прочитать балансы',
  listMethods: 'Перечислить методы, банки и валюты',
  createWebhookEndpoint: 'Добавить адрес для вебхуков',
  listWebhookEndpoints: 'Перечислить адреса для вебхуков',
  getWebhookEndpoint: 'Прочитать адрес для вебхуков',
  changeWebhookEndpoint: 'Изменить адрес для вебхуков',
  deleteWebhookEndpoint: 'Удалить адрес для вебхуков',
  rotateWebhookSecret: 'Сменить секрет адреса для вебхуков',
  exportOperations: 'Выгрузить операции',
  exportJournal: 'Выгрузить проводки',
  getStatement: 'Получить выписку с доказательствами',
  exportStatement: 'Выгрузить выписку',
  listCheckpoints: 'Список подписанных контрольных точек',
  listCheckpointKeys: 'Список ключей контрольных точек',
  listPublicCheckpointKeys: 'Список ключей контрольных точек без API-ключа',
  exportDeliveries: 'Выгрузить доставки вебхуков',
  downloadReceipt: 'Скачать чек',
  isLive: 'Узнать, работает ли процесс',
  isHealthy: 'То же, что /readyz',
  isReady: 'Узнать, может ли шлюз работать',
};

/** What one does with an endpoint. */
export const endpointName = ({ id, summary }: Endpoint, language: Language): string =>
  (language === 'ru' ? russianNames[id] : undefined) ?? summary;
