# `make` is all that a user needs; the rest is for working on the plugin (see CONTRIBUTING.md).
BUNDLE := rplugin/node/acp/index.js
INSTALLED := node_modules/.package-lock.json
PRETTY := src test bench scripts '*.ts' '*.js' '*.json' '!test/fixtures' '!package-lock.json'
SOURCES := $(shell find src scripts/no-winston.js -type f) tsup.config.ts package.json

.PHONY: build test screens lint format demo picture bench chaos interop nightly clean help

build: $(BUNDLE) ## builds the sidecar (the default)

# No package needs its install scripts: esbuild and stylua come as platform packages.
$(INSTALLED): package-lock.json
	npm ci --include=dev --ignore-scripts --no-audit --no-fund --no-update-notifier
	@touch $@

$(BUNDLE): $(INSTALLED) $(SOURCES)
	npx --no-install tsup --silent

test: build ## runs all tests on Neovim 0.10 and 0.12; FILES=… only some
	@node scripts/test.js $(FILES)

screens: build ## writes the golden screens anew, to be looked at with git diff
	UPDATE_SCREENS=1 node scripts/test.js --project nvim-0.10 $(FILES)
	UPDATE_SCREENS=1 node scripts/test.js --project nvim-0.12 $(FILES)

lint: $(INSTALLED) ## checks types, style and format of TypeScript and Lua
	npx --no-install tsc --noEmit
	npx --no-install eslint --max-warnings 0 .
	npx --no-install prettier --check --log-level warn $(PRETTY)
	npx --no-install stylua --check lua plugin bench test
	scripts/luacheck --quiet lua plugin bench test

format: $(INSTALLED) ## formats TypeScript and Lua
	npx --no-install prettier --write --log-level warn $(PRETTY)
	npx --no-install stylua lua plugin bench test

demo: build ## opens Neovim with a chat on the built-in demo agent
	@scripts/demo

picture: build ## draws the README's picture anew, to be looked at
	@scripts/picture

bench: build ## measures speed, on both Neovims; RUNS=N, ONLY=flood,drip
	@scripts/bench

nightly: build ## the properties that only many seeds prove: SEEDS=N
	SEEDS=$${SEEDS:-1000} npx --no-install vitest run --project unit test/unit/review-property.test.ts

chaos: build ## kills Neovim, the sidecar and the agent at random points: KILLS=N, SEED=N
	KILLS=$${KILLS:-200} npx --no-install vitest run test/e2e/chaos.test.ts

interop: build ## runs the plugin against a real agent: AGENT=nanocoder|opencode|codex|claude
	@scripts/interop $(AGENT)

clean: ## removes all that was built or fetched
	rm -rf node_modules .cache coverage $(BUNDLE) doc/tags

help: ## shows this
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
