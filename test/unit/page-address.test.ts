import { describe, expect, test } from 'vitest';
import { page } from '../../src/acp/page-address';

const warning = (url: string): string => page(url).warning ?? '';

describe('an address', () => {
  test.each([
    'https://example.org/',
    'https://example.org/a/b?c=d&e=%20f#g',
    'http://localhost:1455/callback',
    'http://127.0.0.1:8080/',
  ])('%s is nothing odd, or says so', (url) => {
    expect(page(url)).toMatchObject({ url, opens: true });
    expect(warning(url)).toBe(
      /:\d+\//.test(url) ? `the port is not the usual one: ${new URL(url).port}` : '',
    );
  });

  test.each([
    ['https://xn--e1afmkfd.com/', 'in Punycode: it reads пример.com'],
    ['https://xn--pple-43d.com/', 'it looks like apple.com, which is another host'],
    ['https://аpple.com/', 'letters that look alike may be mixed in it: Latin and Cyrillic'],
    // Cyrillic all through.
    ['https://раураӏ.com/', 'it looks like paypal.com, which is another host'],
    ['https://gοοgle.com/', 'it looks like google.com, which is another host'],
    ['https://bank.example@evil.example/', 'the page is on evil.example'],
    ['https://bank.example:443@evil.example/', 'what stands before @'],
    ['https://example.org:8443/', 'the port is not the usual one: 8443'],
    ['http://example.org/', 'not encrypted'],
    ['https://1.2.3.4/', 'the host is a number'],
    ['https://[2001:db8::1]/', 'the host is a number'],
    ['https://3232235777/', 'the host is a number'],
    ['file:///etc/passwd', 'no web page'],
    ['javascript:alert(1)', 'no web page'],
    ['vscode://open?x', 'no web page'],
    ['https://example.org/\u202egnp.exe', 'hidden characters in what the agent gave'],
    ['https://exam\tple.org/', 'hidden characters in what the agent gave'],
    ['https://example.org/\u001b[2J', 'hidden characters'],
  ])('%j is warned about', (url, words) => {
    expect(warning(url)).toContain(words);
  });

  test('is shown as what is opened, in ASCII, however it was written', () => {
    expect(page('HTTPS://ExAmple.ORG/ä b\u202e').url).toBe(
      'https://example.org/%C3%A4%20b%E2%80%AE',
    );
    expect(page('https://аpple.com/').host).toBe('xn--pple-43d.com');
  });

  test.each(['', 'nonsense', '//example.org', 'https://', 'http://[', 'https://a b/'])(
    '%j is none, and can’t be opened',
    (url) => {
      expect(page(url)).toMatchObject({ opens: false, host: '' });
      expect(warning(url)).toContain('no address');
    },
  );

  test('of any length is shown whole', () => {
    const url = `https://example.org/${'a'.repeat(5000)}`;
    expect(page(url).url).toBe(url);
    expect(warning(url)).toBe('');
  });
});
