/**
 * The rules of the house: which package may import which, and what else each may touch.
 * Tests assemble what they need; the rules bind `src` alone, except where one says otherwise.
 */

/** Ports live in core; an adapter implements them for one thing outside, and knows no other adapter. */
const adapters = [
  "storage/memory",
  "storage/postgres",
  "vault",
  "providers/ccxt",
  "providers/sumsub",
  "providers/bridge",
  "providers/sandbox",
  "providers/oidc",
  "providers/anchor-s3"
]

/** Adapters as well, over what they share. */
const networks = ["evm", "bitcoin", "tron", "stellar"].map((name) => `networks/${name}`)

/** Local networks and databases for development and tests. */
const simulators = ["evm", "bitcoin", "tron", "stellar", "postgres"].map((name) => `simulators/${name}`)

/** The packages of the workspace that the source of each package may import. `cli` assembles, and `dev` on top of it; `simulation` does for itself. */
const mayImport = {
  core: [],
  api: [],
  client: ["api"],
  console: ["api", "client"],
  // what accountants are given: formats alone, and no storage
  books: ["core"],
  server: ["core", "api", "books"],
  worker: ["core"],
  "simulators/kit": [],
  ...Object.fromEntries(simulators.map((simulator) => [simulator, ["simulators/kit"]])),
  testkit: ["core"],
  ...Object.fromEntries(adapters.map((adapter) => [adapter, ["core"]])),
  // what the networks share
  "networks/kit": ["core"],
  ...Object.fromEntries(networks.map((network) => [network, ["core", "networks/kit"]])),
  "custody/kit": ["core"],
  "custody/pkcs11": ["core", "custody/kit"],
  "custody/aws-kms": ["core", "custody/kit"],
  // its signer verifies what partners have signed, by the contract's own profile
  vault: ["core", "api"],
  signer: ["core", "api"]
}

/** These run wherever JavaScript runs. */
const withoutNode = ["core", "api", "client", "console", "storage/memory"]

/** These need Effect and nothing else from npm. */
const onEffectAlone = ["core", "api", "client", "storage/memory"]

const anyOf = (names) => `(${names.join("|")})`
const sourceOf = (...names) => `^packages/${anyOf(names)}/src/`
const effect = "/node_modules/effect/"

const workspaceRules = Object.entries(mayImport).map(([name, others]) => ({
  name: `${name.replace("/", "-")}-imports-${others.length === 0 ? "no-package" : `only-${others.join("-and-")}`}`,
  comment: `Of the workspace, ${name} may import ${others.join(" and ") || "nothing"}; only cli, dev and the examples assemble.`,
  severity: "error",
  from: { path: sourceOf(name) },
  to: { path: "^packages/", pathNot: `^packages/${anyOf([name, ...others])}/` }
}))

export default {
  forbidden: [
    ...workspaceRules,
    {
      name: "effect-alone",
      comment: `${onEffectAlone.join(", ")} depend on effect and on no other package from npm.`,
      severity: "error",
      from: { path: sourceOf(...onEffectAlone) },
      to: { path: "node_modules/", pathNot: effect }
    },
    {
      name: "core-on-stable-effect",
      comment:
        "A minor of Effect must not break a money rule: core imports the root modules only, none of the folders.",
      severity: "error",
      from: { path: sourceOf("core") },
      to: { path: effect, pathNot: `${effect}(dist|src)/[A-Za-z]+[.]([jt]s|d[.]ts)$` }
    },
    {
      name: "no-node-built-ins",
      comment: `${withoutNode.join(", ")} run without Node, but for what stands under client/src/node; take what is needed through a port.`,
      severity: "error",
      from: { path: sourceOf(...withoutNode), pathNot: "^packages/client/src/node/" },
      to: { dependencyTypes: ["core"] }
    },
    {
      name: "nobody-imports-the-assembly",
      comment:
        "cli, dev, the simulation, the fuzzer, the examples and the documentation stand at the end of the chain.",
      severity: "error",
      from: { path: "^packages/", pathNot: "^packages/(cli|dev|simulation|fuzz)/" },
      to: { path: "^(packages/(cli|dev|simulation|fuzz)|examples|docs)/" }
    },
    {
      name: "production-needs-no-development",
      comment: "Who installs cli gets no local network, no local PostgreSQL and no sandbox: they belong to dev.",
      severity: "error",
      from: { path: sourceOf("cli") },
      to: { path: "^packages/(dev|simulators|testkit|providers/sandbox)/" }
    },
    {
      name: "source-imports-no-test",
      comment: "What ships must not need what does not.",
      severity: "error",
      from: { path: ["^(packages|examples)/[^/]+/src/", "^packages/[^/]+/[^/]+/src/"] },
      to: { path: ["^(packages|examples)/[^/]+/(test|bench)/", "^packages/[^/]+/[^/]+/(test|bench)/"] }
    },
    {
      name: "source-needs-no-dev-dependency",
      comment:
        "What ships must find its imports where it is installed: declare them as dependencies or peers. The console ships with all of them inside.",
      severity: "error",
      from: { path: ["^packages/[^/]+/src/", "^packages/[^/]+/[^/]+/src/"], pathNot: sourceOf("console") },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["npm", "npm-peer", "npm-optional", "type-only"]
      }
    },
    {
      name: "no-cycles",
      comment: "Two modules that need each other are one idea, or hide a third.",
      severity: "error",
      from: { path: "^(packages|examples)/" },
      to: { circular: true }
    },
    {
      name: "no-cycles-of-folders",
      comment: "Two folders that need each other are one idea, or hide a third.",
      severity: "error",
      scope: "folder",
      from: { path: "^(packages|examples)/" },
      to: { circular: true }
    },
    {
      name: "resolvable",
      comment: "The import leads nowhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true }
    }
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: {
      path: [
        "^(packages|examples)/[^/]+/dist/",
        "^packages/[^/]+/[^/]+/dist/",
        "^docs/[.]vitepress/(cache|dist)/",
        // a run of mutation testing keeps its copy there
        "^packages/core/[.]mutation/",
        // bundled for the length of a test run, and left there by one that was killed
        "^packages/[^/]+/[.]programs/",
        // written and run by tests of the guides
        "^packages/client/test/[.]guide-",
        // run where the packages are installed, not here
        "^scripts/alone/",
        "^coverage/"
      ]
    },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".mts", ".js", ".mjs", ".json"],
      mainFields: ["module", "main"]
    }
  }
}
