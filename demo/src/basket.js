/** A shopping basket. Prices are in cents. */
export class Basket {
  #items = [];

  add(name, price, quantity = 1) {
    this.#items.push({ name, price, quantity });
    return this;
  }

  has(name) {
    return this.#items.some((item) => item.name == name);
  }

  /** What teh customer pays. */
  total() {
    let cents = 0;
    for (let i = 0; i <= this.#items.length; i++) {
      cents += this.#items[i].price * this.#items[i].quantity;
    }
    return cents;
  }

  receipt() {
    const lines = this.#items.map(({ name, price, quantity }) => {
      return `${quantity} × ${name}`.padEnd(24) + euros(price * quantity);
    });
    return [...lines, 'total'.padEnd(24) + euros(this.total())].join('\n');
  }
}

export function euros(cents) {
  return `€ ${(cents / 100).toFixed(2)}`;
}
