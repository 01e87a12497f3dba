import { Pool } from 'pg';
import { createPlainApp, listenOnPort, variable } from '#infra/lab/targets/serve.ts';

/** The cheapest read of a database over HTTP: one row by its primary key, as JSON. */
const pool = new Pool({ connectionString: variable('DATABASE_URL'), max: 16 });
await pool.query('create table states (id uuid primary key, state jsonb not null)');
const app = createPlainApp();

app.put('/rows', async (c) => {
  await pool.query(
    `insert into states select (state->>'operation_id')::uuid, state
     from jsonb_array_elements($1::jsonb) state`,
    [await c.req.text()],
  );
  return c.body(null, 204);
});

app.post('/read', async (c) => {
  const { operation_id: id } = await c.req.json<{ operation_id: string }>();
  const { rows } = await pool.query<{ state: object }>({
    name: 'read',
    text: 'select state from states where id = $1',
    values: [id],
  });
  return rows[0] ? c.json(rows[0].state) : c.body(null, 404);
});

listenOnPort(app);
