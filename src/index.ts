/**
 * The bundle's one entry: `node index.js` is the sidecar on stdio (what `jobstart` starts), `node index.js demo-agent`
 * the demo agent, `node index.js probe` the health check's trial of an agent, and `require('index.js')` a remote plugin.
 */
import { VERSION } from './acp/capabilities';
import { probe } from './agent/probe';
import { runDemoAgent } from './demo/agent';
import { runSidecar } from './main';
import { registerRemotePlugin } from './rplugin';

async function run(command: string | undefined): Promise<number> {
  switch (command) {
    case undefined:
      await runSidecar();
      return 0;
    case 'demo-agent':
      await runDemoAgent(process.stdin, process.stdout);
      return 0;
    case 'probe':
      return probe(process.stdin, process.stdout);
    case '--version':
      process.stdout.write(`${VERSION}\n`);
      return 0;
    default:
      process.stderr.write('usage: node index.js [demo-agent | probe | --version]\n');
      return 2;
  }
}

if (typeof require !== 'undefined' && require.main === module) {
  run(process.argv[2]).then(
    (code) => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
}

export default registerRemotePlugin;
