/** The signs of our own, in three sets. What agents say is never translated. */
export interface Icons {
  done: string;
  failed: string;
  running: string;
  asks: string;
  pending: string;
  cancelled: string;
  folded: string;
  open: string;
  bar: string;
  nested: string;
  active: string;
  todo: string;
  info: string;
  warning: string;
  ellipsis: string;
  minus: string;
  separator: string;
  rule: string;
  arrow: string;
  newline: string;
}

const unicode: Icons = {
  done: '✓',
  failed: '✗',
  running: '⠋',
  asks: '?',
  pending: '·',
  cancelled: '⊘',
  folded: '▸',
  open: '▾',
  bar: '▌',
  nested: '│',
  active: '●',
  todo: '○',
  info: '•',
  warning: '!',
  ellipsis: '…',
  minus: '−',
  separator: ' · ',
  rule: '─',
  arrow: ' → ',
  newline: ' ↵ ',
};

export const ICONS: Record<'unicode' | 'nerd' | 'ascii', Icons> = {
  unicode,
  nerd: {
    ...unicode,
    done: '\uf00c',
    failed: '\uf00d',
    asks: '\uf128',
    cancelled: '\uf05e',
    active: '\uf192',
    todo: '\uf10c',
    info: '\uf129',
    warning: '\uf12a',
  },
  ascii: {
    done: '+',
    failed: 'x',
    running: '*',
    asks: '?',
    pending: '.',
    cancelled: '-',
    folded: '>',
    open: 'v',
    bar: '|',
    nested: '|',
    active: '*',
    todo: 'o',
    info: 'i',
    warning: '!',
    ellipsis: '...',
    minus: '-',
    separator: ', ',
    rule: '-',
    arrow: ' -> ',
    newline: ' ^J ',
  },
};
