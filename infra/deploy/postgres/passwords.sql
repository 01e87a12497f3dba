-- For psql: the password of each role from its environment. `docker compose` runs it after roles.sql, at the first start.
\getenv projections_password PROJECTIONS_DB_PASSWORD
\getenv webhooks_password WEBHOOKS_DB_PASSWORD
\getenv processor_password PROCESSOR_DB_PASSWORD
\getenv admin_password ADMIN_DB_PASSWORD
\getenv portal_password PORTAL_DB_PASSWORD
\getenv audit_password AUDIT_DB_PASSWORD
\getenv merchant_api_password MERCHANT_API_DB_PASSWORD
alter role gateway_projections password :'projections_password';
alter role gateway_webhooks password :'webhooks_password';
alter role gateway_processor password :'processor_password';
alter role gateway_admin password :'admin_password';
alter role gateway_portal password :'portal_password';
alter role gateway_audit password :'audit_password';
alter role gateway_merchant_api password :'merchant_api_password';
