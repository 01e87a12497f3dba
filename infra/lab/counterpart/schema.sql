create table shops (
  shop_id uuid primary key, name text not null, webhook_url text not null, webhook_secret text not null,
  commission_percent numeric(5, 2) not null default 2.5, overdraft numeric(17, 2) not null default 0
);
create table api_keys (
  key_hash text primary key, shop_id uuid not null references shops, revoked_at timestamptz
);
create table operations (
  operation_id uuid primary key, shop_id uuid not null references shops, merchant_operation_id text not null,
  request_hash text not null, type text not null, status text not null, method text not null,
  currency text not null, amount numeric(17, 2) not null, actual_amount numeric(17, 2) not null default 0,
  settlement_amount numeric(17, 2) not null, commission_amount numeric(17, 2) not null,
  commission_percent numeric(5, 2) not null, client_id text not null, number text, name text,
  provider_reference text, requisites jsonb, created_at timestamptz not null default now(),
  ended_at timestamptz, unique (shop_id, merchant_operation_id)
);
create index operations_unsure on operations (created_at) where status = 'new';
create table history (
  id bigint primary key generated always as identity, operation_id uuid not null references operations,
  status text not null, data jsonb not null, at timestamptz not null default now()
);
create index on history (operation_id);
create table contributions (
  id text primary key, operation_id uuid not null references operations, amount numeric(17, 2) not null,
  completed_at timestamptz not null
);
create index on contributions (operation_id);
create table balances (
  shop_id uuid references shops, currency text, balance numeric(20, 2) not null default 0,
  reserved numeric(20, 2) not null default 0, primary key (shop_id, currency)
);
create table ledger_entries (
  id bigint primary key generated always as identity, shop_id uuid not null, currency text not null,
  operation_id uuid not null, kind text not null, balance_change numeric(20, 2) not null,
  reserved_change numeric(20, 2) not null, balance_after numeric(20, 2) not null,
  reserved_after numeric(20, 2) not null, at timestamptz not null default now(), unique (operation_id, kind)
);
create table outbox (
  id uuid primary key, kind text not null, shop_id uuid not null, operation_id uuid not null,
  body text not null, status text not null default 'due', attempts int not null default 0,
  due_at timestamptz not null default now(), last_result text, done_at timestamptz
);
create index outbox_due on outbox (due_at) where status = 'due';
