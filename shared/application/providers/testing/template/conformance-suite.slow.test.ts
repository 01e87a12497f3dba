import { describeConnector } from '#shared/application/providers/testing/conformance/suite.ts';
import { createTemplateConnector } from './connector.ts';
import { startTemplateSimulator } from './simulator.ts';

describeConnector({ connect: (url) => createTemplateConnector({ url }), start: startTemplateSimulator });
