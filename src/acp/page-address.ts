/** Addresses of pages that an agent wants to be opened: what they really are, and what is odd about them. */
import { domainToUnicode } from 'node:url';
import { oneLine } from '../text';

export interface Page {
  /** What would be opened, in ASCII: nothing hides in it. Where it is no address, what the agent gave. */
  url: string;
  /** Empty where there is none. */
  host: string;
  /** Lines of what to look at before it is opened. */
  warning?: string;
  /** Whether it can be opened at all. */
  opens: boolean;
}

/** Nobody looks through more than that before opening it. */
const LONGEST = 16 * 1024;
/** What they name would be run, or is no page at all. */
const NEVER = /^(?:javascript|vbscript|data|blob|about|file|view-source):$/;

export function page(given: string): Page {
  const shown = oneLine(given);
  if (given.length > LONGEST) return closed(shown, 'this is too long to be looked at');
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return closed(shown, 'this is no address that can be opened');
  }
  if (NEVER.test(url.protocol)) {
    return closed(shown, `this is no web page, and ${url.protocol} addresses are not opened`);
  }
  const warning = [...hidden(given, shown), ...oddities(url)].join('\n');
  return { url: url.href, host: url.host, opens: true, ...(warning && { warning }) };
}

function closed(url: string, warning: string): Page {
  return { url, host: '', opens: false, warning };
}

/** Control characters, and those that nobody sees or that turn the reading order. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function hidden(given: string, shown: string): string[] {
  if (!HIDDEN.test(given.trim())) return [];
  return [`there are hidden characters in what the agent gave: ${shown}`];
}

function oddities(url: URL): string[] {
  const { protocol, hostname, username, password, port } = url;
  const web = protocol === 'https:' || protocol === 'http:';
  if (!web)
    return [`this is no web page: it starts whatever ${protocol} addresses are opened with`];
  const here = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const odd: string[] = [];
  if (username !== '' || password !== '') {
    odd.push(`what stands before @ is no part of the host: the page is on ${hostname}`);
  }
  odd.push(...looks(hostname));
  if (/^(?:[\d.]+|\[.*\])$/.test(hostname) && !here) odd.push('the host is a number, not a name');
  if (port !== '') odd.push(`the port is not the usual one: ${port}`);
  if (protocol === 'http:' && !here) odd.push('what is sent there is not encrypted (http)');
  return odd;
}

/** How a host name reads that is not plain ASCII, and what it may be taken for. */
function looks(hostname: string): string[] {
  const labels = hostname.split('.');
  if (!labels.some((part) => part.startsWith('xn--'))) return [];
  const reads = domainToUnicode(hostname) || hostname;
  const odd = [`the name of the host is in Punycode: it reads ${oneLine(reads)}`];
  const parts = reads.split('.');
  const mixed = parts.map(scriptsOf).find((scripts) => scripts.length > 1);
  if (mixed) odd.push(`letters that look alike may be mixed in it: ${mixed.join(' and ')}`);
  const twin = parts.map(skeleton).join('.');
  if (twin !== reads && /^[\x20-\x7e]+$/.test(twin))
    odd.push(`it looks like ${twin}, which is another host`);
  return odd;
}

const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Cherokee',
  'Han',
  'Hangul',
];
const ANY = SCRIPTS.map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const);

function scriptsOf(part: string): string[] {
  return ANY.filter(([, script]) => script.test(part)).map(([name]) => name);
}

/** Letters that are taken for Latin ones. */
const ALIKE: Record<string, string> = {
  ...pairs('аеорсхуѕіјԛԝһԁӏвкмнтгпзь', 'aeopcxysijqwhdlbkmhtrn3b'),
  ...pairs('αινορυχκτγ', 'aivopuxkty'),
  ...pairs('օսհոցզ', 'ouhngq'),
  ...pairs('ıɡɑɩʟ', 'igail'),
};

function pairs(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((char, i) => [char, to[i]!]));
}

function skeleton(part: string): string {
  const plain = part.normalize('NFKD').replace(/\p{Mn}/gu, '');
  return [...plain].map((char) => ALIKE[char] ?? char).join('');
}
