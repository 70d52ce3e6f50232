import { readSettings } from "@bursar/cli/config/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

const good = {
  DATABASE_URL: "postgres://u:dbsecret@127.0.0.1/bursar",
  KEY_PEPPER: "p".repeat(32),
  OPERATOR_TOKEN: "t".repeat(32),
  VAULT_MASTER_KEY: `one:${Buffer.alloc(32, 1).toString("base64")}`
}

const mistakes = (variables: Record<string, string>) => {
  const read = readSettings(variables)
  assert.isTrue(Result.isFailure(read))
  return Result.isFailure(read) ? read.failure : assert.fail("the settings were accepted")
}

describe("the settings", () => {
  it("have defaults for all that is not secret", () => {
    const settings = Result.getOrThrow(readSettings(good))
    assert.strictEqual(settings.port, 8080)
    assert.strictEqual(settings.operatorHost, "127.0.0.1")
    assert.strictEqual(settings.serviceName, "service")
    assert.deepStrictEqual(settings.networks, [])
    assert.strictEqual(settings.webhooksToPrivateAddresses, "never")
  })

  it("switch on the networks that have a node, with their own depth", () => {
    const { networks } = Result.getOrThrow(
      readSettings({ ...good, BASE_RPC_URL: "https://node.example", BASE_CONFIRMATIONS: "30", BSC_RPC_URL: "" })
    )
    assert.deepStrictEqual(
      networks.map((one) => [one.network, one.network === "base" && one.confirmations]),
      [["base", 30]]
    )
    const [base] = networks
    assert.strictEqual(base?.network === "base" && Redacted.value(base.rpcUrl), "https://node.example")
  })

  it("tell each network's node, and what else its network needs", () => {
    const read = Result.getOrThrow(
      readSettings({
        ...good,
        BITCOIN_RPC_URL: "http://u:p@127.0.0.1:8332",
        TRON_NODE_URL: "http://127.0.0.1:8090",
        TRON_SOLIDITY_URL: "http://127.0.0.1:8091",
        TRON_API_KEY: "tronkey",
        TRON_CONFIRMATIONS: "20",
        STELLAR_HORIZON_URL: "https://horizon.example"
      })
    )
    const [bitcoin, tron, stellar] = read.networks
    if (bitcoin?.network !== "bitcoin" || tron?.network !== "tron" || stellar?.network !== "stellar") {
      return assert.fail("a network is missing")
    }
    assert.deepInclude(stellar, { rpcUrl: null, networkPassphrase: "Public Global Stellar Network ; September 2015" })
    assert.deepInclude(bitcoin, { chain: "main", confirmations: null })
    assert.deepInclude(tron, { genesisBlockId: null, confirmations: 20 })
    const hidden = [bitcoin.rpcUrl, tron.nodeUrl, tron.solidityUrl, tron.apiKey]
    assert.deepStrictEqual(
      hidden.map((one) => one !== null && Redacted.value(one)),
      ["http://u:p@127.0.0.1:8332", "http://127.0.0.1:8090", "http://127.0.0.1:8091", "tronkey"]
    )
    for (const secret of ["u:p", "tronkey"]) assert.notInclude(JSON.stringify(read), secret)
    return undefined
  })

  it("refuse what means nothing without a node, beside all other mistakes", () => {
    const { mistakes: found } = mistakes({
      ...good,
      BITCOIN_CHAIN: "signet",
      BITCOIN_RPC_URL: "bitcoin:btcsecret",
      TRON_API_KEY: "tronkey",
      TRON_GENESIS_BLOCK_ID: "0x00",
      STELLAR_RPC_URL: "https://rpc.example",
      BITCOIN_CONFIRMATIONS: "0"
    })
    assert.deepStrictEqual(found.map((mistake) => mistake.split(/[ :]/u, 1)[0]).toSorted(), [
      "BITCOIN_CHAIN",
      "BITCOIN_CONFIRMATIONS",
      "BITCOIN_RPC_URL",
      "STELLAR_HORIZON_URL",
      "TRON_GENESIS_BLOCK_ID",
      "TRON_NODE_URL",
      "TRON_NODE_URL"
    ])
    for (const hidden of ["btcsecret", "tronkey"]) assert.notInclude(found.join(), hidden)
  })

  it("name every mistake at once and show no secret", () => {
    const { message } = mistakes({
      DATABASE_URL: "mysql://u:dbsecret@h/x",
      PORT: "eighty",
      KEY_PEPPER: "shortpepper",
      VAULT_MASTER_KEY: "nonsense",
      ETHEREUM_RPC_URL: "node:user:rpcsecret",
      ETHEREUM_CONFIRMATIONS: "0"
    })
    for (const name of [
      "DATABASE_URL",
      "PORT",
      "KEY_PEPPER",
      "OPERATOR_TOKEN is missing",
      "VAULT_MASTER_KEY",
      "ETHEREUM_RPC_URL",
      "ETHEREUM_CONFIRMATIONS"
    ]) {
      assert.include(message, name)
    }
    for (const hidden of ["dbsecret", "shortpepper", "nonsense", "rpcsecret"]) assert.notInclude(message, hidden)
  })

  it("tell operators apart: each once, in lower case, with a token of its own", () => {
    const token = (letter: string) => letter.repeat(32)
    const { operators } = Result.getOrThrow(
      readSettings({ ...good, OPERATORS: `Alice@example.com:operator:${token("a")}, bob:approver:${token("b")}` })
    )
    assert.deepStrictEqual(
      operators.map(({ name, role, token: secret }) => [name, role, Redacted.value(secret)]),
      [
        ["alice@example.com", "operator", token("a")],
        ["bob", "approver", token("b")]
      ]
    )
    for (const [text, says] of [
      [`alice:boss:${token("a")}`, /name:role:token/u],
      ["alice:admin:tooshort", /name:role:token/u],
      [`-x:admin:${token("a")}`, /name:role:token/u],
      [`Operator:admin:${token("a")}`, /another name/u],
      [`alice:admin:${token("a")},ALICE:viewer:${token("b")}`, /every operator once/u],
      [`alice:admin:${token("a")},bob:viewer:${token("a")}`, /token of its own/u],
      [`alice:admin:${good.OPERATOR_TOKEN}`, /other tokens than OPERATOR_TOKEN/u]
    ] as const) {
      const { message } = mistakes({ ...good, OPERATORS: text })
      assert.match(message, says, text)
      for (const hidden of ["tooshort", token("a"), token("b")]) assert.notInclude(message, hidden)
    }
  })
})
