import { describeConnector } from '#shared/application/providers/testing/conformance/suite.ts';
import { createTemplateConnector, templateCredentials } from './connector.ts';
import { startTemplateSimulator } from './simulator.ts';

const { key } = templateCredentials.example;
describeConnector({
  connect: (url, wrong) => createTemplateConnector({ url, key: wrong?.key ?? key }),
  wrongCredentials: { key: 'a-key-of-nobody-at-all' },
  start: startTemplateSimulator,
});
