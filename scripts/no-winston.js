// Takes the place of winston in the bundle (tsup.config.ts): nothing of it is ever used.
export {};
