import { readVariables } from "@bursar/cli/config/environment"
import { knownVariables } from "@bursar/cli/config/Settings"
import { unknownNames } from "@bursar/cli/config/unknownNames"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "./support/tempDir.ts"

/** What is read where the file has these lines and the environment these variables. */
const read = Effect.fnUntraced(function* (
  lines: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) {
  const file = join(yield* tempDir, "service.env")
  writeFileSync(file, lines.join("\n"))
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const before = { ...process.env }
      Object.assign(process.env, environment)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        process.env = before
      })
  )
  return yield* readVariables(Option.some(file))
}, Effect.provide(NodeFileSystem.layer))

describe("the file of --config", () => {
  it.effect("keeps a setting that is empty in the environment, and gives way to one that is not", () =>
    Effect.gen(function* () {
      const file = ["PAYOUTS_OFF=ethereum", "SECOND_NODE_MISSING=hold", "PORT=1"]
      const found = yield* read(file, { PAYOUTS_OFF: "", SECOND_NODE_MISSING: "", PORT: "2" })
      assert.deepInclude(found, { PAYOUTS_OFF: "ethereum", SECOND_NODE_MISSING: "hold", PORT: "2" })
    })
  )

  it.effect("has the variables of all processes, and those of other programs", () =>
    Effect.gen(function* () {
      const file = [
        "KEY_PEPPER=a",
        "SIGNER_STORE=b",
        "RECONCILE_SECONDS=1",
        "VAULT_MASTER_KEY_FILE=c",
        "NETWORKS_OFF=bsc"
      ]
      const others = [
        ..."NODE_EXTRA_CA_CERTS OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_HEADERS AWS_PROFILE AWS_REGION BURSAR_AS HTTPS_PROXY".split(
          " "
        ),
        ..."https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR POSTGRES_PASSWORD COMPOSE_PROJECT_NAME SOFTHSM2_CONF".split(
          " "
        ),
        ..."UV_THREADPOOL_SIZE XDG_CACHE_HOME PGHOST PGPORT HOME PATH TZ VAULT_ADDR COLOUR_OF_THE_HOUSE".split(" ")
      ].map((name) => `${name}=f`)
      assert.deepInclude(yield* read([...file, ...others]), {
        SIGNER_STORE: "b",
        NETWORKS_OFF: "bsc",
        AWS_PROFILE: "f"
      })
    })
  )

  it("takes every name that the pages for operators write, also those of commands", () => {
    const pages = new URL("../../../docs/operate/", import.meta.url)
    const texts = readdirSync(pages)
      .filter((page) => page.endsWith(".md"))
      .map((page) => readFileSync(new URL(page, pages), "utf8"))
    const names = texts.flatMap((text) => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/gu) ?? [])
    assert.include(names, "OPERATOR_OIDC_CLIENT_ID")
    assert.deepStrictEqual(unknownNames([...new Set(names)], knownVariables), [])
  })

  it("takes names of the nodes and programs beside it that are like ours", () => {
    const nodes = ["BITCOIN_RPC_USER", "BITCOIN_RPC_PASSWORD", "STELLAR_CORE_URL", "TRON_JVM_OPTIONS"]
    const programs = ["NETWORK", "HOSTS", "POST", "PRICE", "KEY_PASSPHRASE", "POSTGRES_PASSWORD"]
    // who has the right name did not mistype it
    assert.deepStrictEqual(unknownNames([...nodes, ...programs, "DATABASE_URL", "DATABASE_URI"], knownVariables), [])
    assert.lengthOf(unknownNames(["DATABASE_URI", "BITCOIN_RPC_URI", "network"], knownVariables), 2)
    assert.lengthOf(unknownNames(["port", "SIGNER_STORE", "SIGNER_STORES"], knownVariables), 2)
  })

  it("is told of a mistyped name also where another that is as near to it is in the file", () => {
    const bsc = [...knownVariables].filter((name) => name.startsWith("BSC_"))
    assert.include(bsc, "BSC_RPC_URL")
    for (const name of bsc) {
      const [mistyped, meant] = [name.replace("BSC_", "BSE_"), name.replace("BSC_", "BASE_")]
      if (!knownVariables.has(meant)) continue
      assert.deepStrictEqual(unknownNames([...bsc, mistyped], knownVariables), [
        `${mistyped} in the file of --config is no setting: did you mean ${meant}?`
      ])
    }
  })

  it.effect("is refused with names that are meant for settings and are none: the setting would not be set", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        read([
          "PAYOUTS_OF=bsc",
          "ETHERUM_RPC_URL=http://127.0.0.1:9",
          "AWS_KMS_REGIO=a",
          "SIGNER_COLOUR=red",
          "secrets_key=a",
          "PORT=1"
        ])
      )
      assert.sameMembers("mistakes" in error ? [...error.mistakes] : [], [
        "PAYOUTS_OF in the file of --config is no setting: did you mean PAYOUTS_OFF?",
        "ETHERUM_RPC_URL in the file of --config is no setting: did you mean ETHEREUM_RPC_URL?",
        "AWS_KMS_REGIO in the file of --config is no setting: did you mean AWS_KMS_REGION?",
        "SIGNER_COLOUR in the file of --config is no setting",
        "secrets_key in the file of --config is no setting: did you mean SECRETS_KEY?"
      ])
    })
  )
})
