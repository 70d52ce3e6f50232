import type { OperatorRole } from "@bursar/api/operator/Operator"
import { readServeSettings as readSettings, readSignSettings, readWorkSettings } from "@bursar/cli/config/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

const good = {
  DATABASE_URL: "postgres://u:dbsecret@127.0.0.1/bursar",
  KEY_PEPPER: "p".repeat(32),
  OPERATOR_TOKEN: "t".repeat(32),
  SECRETS_KEY: `one:${Buffer.alloc(32, 1).toString("base64")}`,
  SIGNER: "unix:/run/bursar/signer"
}

const { KEY_PEPPER: _, OPERATOR_TOKEN: __, ...working } = good

const signing = {
  DATABASE_URL: good.DATABASE_URL,
  VAULT_MASTER_KEY: good.SECRETS_KEY,
  SIGNER: good.SIGNER,
  SIGNER_STORE: "/var/lib/signer"
}

const mistakes = (variables: Record<string, string>) => {
  const read = readSettings(variables)
  assert.isTrue(Result.isFailure(read))
  return Result.isFailure(read) ? read.failure : assert.fail("the settings were accepted")
}

const workMistakes = (variables: Record<string, string>) => Result.getOrThrow(Result.flip(readWorkSettings(variables)))

const signMistakes = (variables: Record<string, string>) => Result.getOrThrow(Result.flip(readSignSettings(variables)))

describe("the settings", () => {
  it("have defaults for all that is not secret", () => {
    const settings = Result.getOrThrow(readSettings(good))
    assert.strictEqual(settings.port, 8080)
    assert.strictEqual(settings.operatorHost, "127.0.0.1")
    assert.strictEqual(settings.serviceName, "service")
    assert.deepStrictEqual(settings.networks, [])
    assert.strictEqual(Result.getOrThrow(readWorkSettings(working)).webhooksToPrivateAddresses, "never")
    const { limits, listen } = Result.getOrThrow(readSignSettings(signing))
    assert.deepStrictEqual(
      { limits, listen },
      {
        limits: [],
        listen: { address: { _tag: "Socket", path: "/run/bursar/signer" }, socketFor: "owner" }
      }
    )
  })

  it("are an error in a process that must not have them, all at once, and are never shown", () => {
    const everything = {
      ...good,
      ...signing,
      CUSTODIAN_API_SECRET: "custodysecret",
      ETHEREUM_RPC_URL: "https://u:rpcsecret@h/"
    }
    const strays = {
      serve: { read: mistakes, names: ["VAULT_MASTER_KEY"] },
      work: { read: workMistakes, names: ["KEY_PEPPER", "OPERATOR_TOKEN", "VAULT_MASTER_KEY"] },
      sign: {
        read: signMistakes,
        names: ["CUSTODIAN_API_SECRET", "ETHEREUM_RPC_URL", "KEY_PEPPER", "OPERATOR_TOKEN", "SECRETS_KEY"]
      }
    }
    for (const [role, { names, read }] of Object.entries(strays)) {
      const failure = read(everything)
      const stray = failure.mistakes.filter((mistake) => mistake.includes(" does not belong here: "))
      assert.deepStrictEqual(stray.map((mistake) => mistake.split(" ")[0]).toSorted(), names, role)
      for (const hidden of ["custodysecret", "rpcsecret", "pppp", "tttt"]) assert.notInclude(failure.message, hidden)
    }
  })

  it("open a port for metrics of the worker and the signer only where they name one, on this machine unless they say where", () => {
    const readers = [
      (more: Record<string, string>) => Result.getOrThrow(readWorkSettings({ ...working, ...more })).metrics,
      (more: Record<string, string>) => Result.getOrThrow(readSignSettings({ ...signing, ...more })).metrics
    ]
    for (const read of readers) {
      assert.isNull(read({}))
      assert.deepStrictEqual(read({ METRICS_PORT: "9100" }), { host: "127.0.0.1", port: 9_100 })
      assert.deepStrictEqual(read({ METRICS_HOST: "0.0.0.0", METRICS_PORT: "0" }), { host: "0.0.0.0", port: 0 })
    }
    for (const failure of [
      workMistakes({ ...working, METRICS_HOST: "0.0.0.0" }),
      signMistakes({ ...signing, METRICS_HOST: "0.0.0.0" })
    ])
      assert.deepStrictEqual(failure.mistakes, ["METRICS_PORT is missing, without which METRICS_HOST means nothing"])
  })

  it("say where the signer is: a socket, or TLS with certificates on both sides", () => {
    for (const SIGNER of ["signer", "unix:relative", "http://h:1", "tls://h", "tls://h:70000", ""])
      assert.match(mistakes({ ...good, SIGNER }).mistakes.join(), /^SIGNER/u, SIGNER)
    assert.deepStrictEqual(
      mistakes({ ...good, SIGNER: "tls://signer.internal:7000", SIGNER_TLS_CA: "ca.pem" }).mistakes.map(
        (mistake) => mistake.split(" ")[0]
      ),
      ["SIGNER_TLS_CERT", "SIGNER_TLS_KEY"]
    )
    assert.deepStrictEqual(mistakes({ ...good, SIGNER_TLS_CA: "ca.pem" }).mistakes, [
      "SIGNER_TLS_CA means nothing for a socket"
    ])
  })

  it("reach a key service by https, or on this machine", () => {
    const kms = { ...signing, KEY_CUSTODY: "aws-kms", AWS_KMS_REGION: "eu-central-1" }
    for (const AWS_KMS_ENDPOINT of [
      "https://kms.example",
      "http://127.0.0.1:4566",
      "http://localhost",
      "http://[::1]:1"
    ])
      assert.isTrue(Result.isSuccess(readSignSettings({ ...kms, AWS_KMS_ENDPOINT })), AWS_KMS_ENDPOINT)
    for (const AWS_KMS_ENDPOINT of ["http://kms.example", "http://127.0.0.1.example", "ftp://localhost", "kms"])
      assert.isTrue(Result.isFailure(readSignSettings({ ...kms, AWS_KMS_ENDPOINT })), AWS_KMS_ENDPOINT)
  })

  it("limit what the signer signs, by currency and period, how old requests are, and how many addresses get coin", () => {
    const { limits } = Result.getOrThrow(
      readSignSettings({ ...signing, SIGNER_LIMITS: "USDT_ETH:10000/hour, BTC:0.5/day, ETH:2/payment" })
    )
    assert.deepStrictEqual(
      limits.map(({ network, period, units }) => [network, period, units]),
      [
        ["ethereum", "hour", 10_000_000_000n],
        ["bitcoin", "day", 50_000_000n],
        ["ethereum", "payment", 2n * 10n ** 18n]
      ]
    )
    const given = {
      SIGNER_REQUEST_AGE_HOURS: "48",
      SIGNER_TOP_UPS_PER_DAY: "0",
      SIGNER_OWN_FEES_PER_DAY: "7",
      PUBLIC_AUTHORITIES: "a.example, b.example"
    }
    assert.deepInclude(Result.getOrThrow(readSignSettings({ ...signing, ...given })), {
      requestAgeMaxMs: 172_800_000,
      topUpsPerDay: 0,
      ownFeesPerDay: 7,
      publicAuthorities: ["a.example", "b.example"]
    })
    assert.deepInclude(Result.getOrThrow(readSignSettings(signing)), {
      requestAgeMaxMs: 604_800_000,
      topUpsPerDay: 1_000,
      ownFeesPerDay: 100,
      publicAuthorities: []
    })
    for (const SIGNER_REQUEST_AGE_HOURS of ["0", "-1", "1.5", "9000"])
      assert.isTrue(Result.isFailure(readSignSettings({ ...signing, SIGNER_REQUEST_AGE_HOURS })))
    for (const SIGNER_LIMITS of ["EUR:5/day", "BTC:5", "BTC:-5/day", "BTC:0.123456789/day", "NOPE:1/day"])
      assert.isTrue(Result.isFailure(readSignSettings({ ...signing, SIGNER_LIMITS })), SIGNER_LIMITS)
  })

  it("tell the signer which chains its networks are, though it has no node of them", () => {
    const environments = (variables: Record<string, string>) => {
      const { networks } = Result.getOrThrow(readSignSettings({ ...signing, ...variables })).currencies
      return Object.fromEntries(networks.all.map(({ environment, name }) => [name, environment]))
    }
    const live = environments({})
    assert.deepStrictEqual([...new Set(Object.values(live))], ["LIVE"])
    for (const [network, variables] of Object.entries({
      ethereum: { ETHEREUM_CHAIN: "local" },
      bsc: { BSC_CHAIN: "local" },
      base: { BASE_CHAIN: "local" },
      bitcoin: { BITCOIN_CHAIN: "regtest" },
      tron: { TRON_GENESIS_BLOCK_ID: "ab".repeat(32) },
      stellar: { STELLAR_NETWORK_PASSPHRASE: "Test SDF Network ; September 2015" }
    }))
      assert.deepStrictEqual(environments(variables), { ...live, [network]: "SANDBOX" })
  })

  it("switch on the networks that have a node, with their own depth", () => {
    const { networks } = Result.getOrThrow(
      readSettings({ ...good, BASE_RPC_URL: "https://node.example", BASE_CONFIRMATIONS: "30", BSC_RPC_URL: "" })
    )
    assert.deepStrictEqual(
      networks.map((one) => [one.network, one.family === "evm" && one.confirmations]),
      [["base", 30]]
    )
    const [base] = networks
    assert.strictEqual(base?.family === "evm" && Redacted.value(base.rpcUrl), "https://node.example")
  })

  it("take several nodes for a network, with what stands beside each, in order", () => {
    const { networks } = Result.getOrThrow(
      readSettings({
        ...good,
        BASE_RPC_URL: "https://one.example, https://two.example,https://three.example",
        BASE_CONFIRMATIONS: "30",
        TRON_NODE_URL: "http://127.0.0.1:1,http://127.0.0.1:2",
        TRON_SOLIDITY_URL: "http://127.0.0.1:3,http://127.0.0.1:4"
      })
    )
    const [base, tron] = networks
    if (base?.family !== "evm" || tron?.family !== "tron") return assert.fail("a network is missing")
    assert.deepStrictEqual(
      [base, ...(base.others ?? [])].map(({ confirmations, rpcUrl }) => [confirmations, Redacted.value(rpcUrl)]),
      [
        [30, "https://one.example"],
        [30, "https://two.example"],
        [30, "https://three.example"]
      ]
    )
    assert.deepStrictEqual(
      [tron, ...(tron.others ?? [])].map(({ nodeUrl, solidityUrl }) =>
        [nodeUrl, solidityUrl].map((one) => one !== null && Redacted.value(one))
      ),
      [
        ["http://127.0.0.1:1", "http://127.0.0.1:3"],
        ["http://127.0.0.1:2", "http://127.0.0.1:4"]
      ]
    )
    return undefined
  })

  it("take who runs each node, and which arrivals need two of them", () => {
    const nodes = {
      ETHEREUM_RPC_URL: "https://one.example,https://two.example",
      ETHEREUM_NODE_OPERATORS: "ours, acme.io"
    }
    const { networks, secondNode } = Result.getOrThrow(
      readWorkSettings({
        ...working,
        ...nodes,
        SECOND_NODE_ABOVE: "USDT_ETH:1000, BTC:0.5,ETH:0",
        SECOND_NODE_TOTAL: "BTC:0.7",
        SECOND_NODE_WINDOW_HOURS: "2",
        SECOND_NODE_MISSING: "hold"
      })
    )
    const [ethereum] = networks
    assert.deepStrictEqual(
      [ethereum, ...((ethereum?.family === "evm" && ethereum.others) || [])].map((node) => node?.operator),
      ["ours", "acme.io"]
    )
    assert.deepStrictEqual(
      ["USDT_ETH", "BTC", "ETH", "USDC_BASE"].map((code) => secondNode?.above(code)),
      [1_000_000_000n, 50_000_000n, 0n, 0n]
    )
    assert.deepStrictEqual(
      ["USDT_ETH", "BTC", "ETH", "USDC_BASE"].map((code) => secondNode?.together(code)),
      [20_000_000_000n, 70_000_000n, 0n, 0n]
    )
    assert.deepStrictEqual([secondNode?.alone, secondNode?.windowMs], ["hold", 7_200_000])
    assert.strictEqual(Result.getOrThrow(readWorkSettings(working)).secondNode?.windowMs, 86_400_000)
    assert.strictEqual(Result.getOrThrow(readWorkSettings(working)).secondNode?.alone, "credit")
  })

  it("refuse operators that do not go with the nodes, are at one place, or have amounts that are none", () => {
    const found = readWorkSettings({
      ...working,
      ETHEREUM_RPC_URL: "https://one.example/a,https://one.example/b",
      ETHEREUM_NODE_OPERATORS: "ours,acme",
      BITCOIN_RPC_URL: "https://one.example,https://two.example",
      BITCOIN_NODE_OPERATORS: "ours",
      STELLAR_NODE_OPERATORS: "ours",
      BASE_RPC_URL: "https://base.example",
      BASE_NODE_OPERATORS: "Our Own",
      SECOND_NODE_ABOVE: "BTC:0.123456789,ETH:1,ETH:2,EUR:5,DOGE:1,XLM:-1,TRX",
      SECOND_NODE_TOTAL: "ETH:20,USDT_ETH:5,TRX:a",
      SECOND_NODE_MISSING: "credit"
    })
    const all = Result.isFailure(found) ? found.failure.mistakes : []
    for (const part of [
      "ETHEREUM_NODE_OPERATORS: ours and acme are one operator, their nodes have the same host",
      "BITCOIN_RPC_URL names 2 nodes and BITCOIN_NODE_OPERATORS names 1: each node needs its own, in the same order",
      "STELLAR_HORIZON_URL is missing, without which STELLAR_NODE_OPERATORS means nothing",
      "SECOND_NODE_ABOVE: Expected BTC:<amount> with at most 8 decimals",
      "SECOND_NODE_ABOVE: ETH stands twice",
      "SECOND_NODE_ABOVE: EUR is not a currency of a network",
      "SECOND_NODE_ABOVE: DOGE is not a currency of a network",
      "SECOND_NODE_ABOVE: Expected XLM:<amount> with at most 7 decimals",
      "SECOND_NODE_ABOVE: Expected TRX:<amount> with at most 6 decimals",
      "SECOND_NODE_TOTAL: Expected TRX:<amount> with at most 6 decimals",
      "SECOND_NODE_TOTAL: USDT_ETH is not in SECOND_NODE_ABOVE: one node alone credits nothing of it"
    ])
      assert.include(all, part)
    assert.isTrue(all.some((mistake) => mistake.startsWith("BASE_NODE_OPERATORS: must be names")))
  })

  it("refuse one machine as two operators, by whatever names and ports, but for test networks on this machine", () => {
    const operatorsOf = (urls: string, more: Record<string, string> = {}) => {
      const found = readWorkSettings({ ...working, BSC_RPC_URL: urls, BSC_NODE_OPERATORS: "a,b", ...more })
      return Result.isFailure(found) ? found.failure.mistakes : []
    }
    const same = ["BSC_NODE_OPERATORS: a and b are one operator, their nodes have the same host"]
    const own = [
      "localhost:8545",
      "127.0.0.1:8545/",
      "127.0.0.9:1",
      "[::1]:2",
      "0.0.0.0:3",
      "localhost.:4",
      "[::ffff:127.0.0.1]:5",
      "a.localhost:6"
    ]
    for (const host of own) assert.deepStrictEqual(operatorsOf(`http://localhost:1,http://${host}`), same, host)
    assert.deepStrictEqual(operatorsOf("https://one.example:1,https://ONE.example.:2/key"), same)
    assert.deepStrictEqual(operatorsOf("https://one.example,https://two.example"), [])
    const local = { BSC_CHAIN: "local" }
    assert.deepStrictEqual(operatorsOf("http://localhost:1,http://127.0.0.1:2", local), [])
    assert.deepStrictEqual(operatorsOf("http://localhost:1,http://127.0.0.1:1", local), same)
    assert.deepStrictEqual(operatorsOf("https://one.example:1,https://one.example:2", local), same)
    assert.deepStrictEqual(operatorsOf("https://one.example,https://one.example/"), [
      "BSC_RPC_URL: names the same URL twice",
      ...same
    ])
  })

  it("compare the second URLs of nodes too: those of one operator may be one machine, those of two may not", () => {
    for (const [network, nodes, beside, test] of [
      ["TRON", "TRON_NODE_URL", "TRON_SOLIDITY_URL", { TRON_GENESIS_BLOCK_ID: "0".repeat(64) }],
      ["STELLAR", "STELLAR_HORIZON_URL", "STELLAR_RPC_URL", { STELLAR_NETWORK_PASSPHRASE: "a test" }]
    ] as const) {
      const found = (first: string, other: string, more: Readonly<Record<string, string>> = {}) => {
        const operators = { [`${network}_NODE_OPERATORS`]: "a,b" }
        const read = readWorkSettings({ ...working, [nodes]: first, [beside]: other, ...operators, ...more })
        return Result.isFailure(read) ? read.failure.mistakes : []
      }
      const same = (one: string, other: string) => [
        `${network}_NODE_OPERATORS: ${one} and ${other} are one operator, their nodes have the same host`
      ]
      const two = "https://a.example,https://b.example"
      assert.deepStrictEqual(found(two, "https://a.example/s,https://b.example/s"), [])
      assert.deepStrictEqual(found(two, "https://one.example/a,https://one.example/b"), same("a", "b"))
      assert.deepStrictEqual(found(two, "https://c.example,https://a.example/s"), same("a", "b"))
      assert.deepStrictEqual(found("http://localhost:1,http://localhost:2", "http://[::1]:3,http://[::1]:4", test), [])
      assert.deepStrictEqual(
        found("http://localhost:1,http://localhost:2", "http://[::1]:3,http://[::1]:1", test),
        same("a", "b")
      )
    }
  })

  it("refuse ends of chains of grants without the root that the grants are verified from", () => {
    const heads = { GRANT_HEADS: "/var/lib/bursar/heads.json" }
    const said = [mistakes({ ...good, ...heads }).mistakes, workMistakes({ ...working, ...heads }).mistakes]
    for (const all of said) {
      assert.lengthOf(all, 1)
      assert.match(all.join(), /^GRANT_ROOT is missing, without which GRANT_HEADS means nothing/u)
    }
  })

  it("take numbers in decimal digits alone", () => {
    const node = { ETHEREUM_RPC_URL: "https://one.example" }
    for (const text of ["0x10", "1e2", " 12", "12.0", "1_000", "+5", "-1", "0b11", "Infinity"])
      assert.deepStrictEqual(
        mistakes({ ...good, ...node, ETHEREUM_CONFIRMATIONS: text }).mistakes.map((one) => one.split(":")[0]),
        ["ETHEREUM_CONFIRMATIONS"],
        text
      )
    assert.match(mistakes({ ...good, PORT: "0x10" }).mistakes.join(), /^PORT: Expected a whole number from 0 to 65535/u)
    assert.match(
      mistakes({ ...good, PORT: "70000" }).mistakes.join(),
      /^PORT: Expected a whole number from 0 to 65535/u
    )
    assert.strictEqual(Result.getOrThrow(readSettings({ ...good, PORT: "0090" })).port, 90)
  })

  it("leave out networks by a word alone, which none of those that are on has", () => {
    assert.deepStrictEqual(Result.getOrThrow(readSettings({ ...good, NETWORKS_OFF: "bsc, tron" })).networksOff, [
      "bsc",
      "tron"
    ])
    const both = { ...good, NETWORKS_OFF: "bsc,dogecoin", BSC_RPC_URL: "https://one.example" }
    assert.deepStrictEqual(mistakes(both).mistakes, [
      "NETWORKS_OFF: dogecoin is not a network",
      "NETWORKS_OFF: bsc has a node: take one of them out"
    ])
  })

  it("refuse lists of nodes that do not pair, name a node twice, or are no URLs", () => {
    const { mistakes: found } = mistakes({
      ...good,
      STELLAR_HORIZON_URL: "https://one.example,https://two.example",
      STELLAR_RPC_URL: "https://rpc.example",
      BSC_RPC_URL: "https://same.example,https://same.example",
      BASE_RPC_URL: "https://one.example,two.example?key=secretword"
    })
    assert.lengthOf(found, 3)
    assert.notInclude(JSON.stringify(found), "secretword")
  })

  it("tell how an EVM node is asked, and leave the rest to the reader", () => {
    const { networks } = Result.getOrThrow(
      readSettings({ ...good, BASE_RPC_URL: "https://node.example", BASE_TRACES: "off", BASE_TIMEOUT_MS: "60000" })
    )
    assert.deepInclude(networks[0], {
      traces: "off",
      receiptsRoot: "required",
      timeoutMs: 60_000,
      callsMax: null,
      blockTimeMs: null
    })
    const { mistakes: found } = mistakes({
      ...good,
      BASE_TRACES: "sometimes",
      BSC_RPC_URL: "https://node.example",
      BSC_CALLS_MAX: "0",
      BSC_BLOCK_TIME_MS: "450.5",
      ETHEREUM_TIMEOUT_MS: "1000"
    })
    assert.deepStrictEqual(found.map((mistake) => mistake.split(/[ :]/u, 1)[0]).toSorted(), [
      "BASE_RPC_URL",
      "BASE_TRACES",
      "BSC_BLOCK_TIME_MS",
      "BSC_CALLS_MAX",
      "ETHEREUM_RPC_URL"
    ])
  })

  it("tell how hard each node is asked, and leave the rest to the adapters", () => {
    const read = Result.getOrThrow(
      readSettings({
        ...good,
        BASE_RPC_URL: "https://node.example",
        BASE_BATCH_MAX: "1",
        BITCOIN_RPC_URL: "http://u:p@127.0.0.1:8332",
        BITCOIN_TIMEOUT_MS: "60000",
        TRON_NODE_URL: "https://one.example,https://two.example",
        TRON_CALLS_MAX: "2",
        STELLAR_HORIZON_URL: "https://horizon.example",
        STELLAR_CALLS_MAX: "1"
      })
    )
    const all = read.networks.flatMap((one) => [one, ...(one.others ?? [])])
    assert.deepStrictEqual(
      all.map(({ callsMax, network, timeoutMs }) => [network, timeoutMs, callsMax]),
      [
        ["base", null, null],
        ["bitcoin", 60_000, null],
        ["tron", null, 2],
        ["tron", null, 2],
        ["stellar", null, 1]
      ]
    )
    assert.deepInclude(read.networks[0], { batchMax: 1 })
    const { mistakes: found } = mistakes({
      ...good,
      BSC_BATCH_MAX: "10",
      BITCOIN_CALLS_MAX: "4",
      TRON_TIMEOUT_MS: "1000",
      STELLAR_HORIZON_URL: "https://horizon.example",
      STELLAR_CALLS_MAX: "0"
    })
    assert.deepStrictEqual(found.map((mistake) => mistake.split(/[ :]/u, 1)[0]).toSorted(), [
      "BITCOIN_RPC_URL",
      "BSC_RPC_URL",
      "STELLAR_CALLS_MAX",
      "TRON_NODE_URL"
    ])
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
    if (bitcoin?.family !== "bitcoin" || tron?.family !== "tron" || stellar?.family !== "stellar") {
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
    for (const secret of ["u:p", "tronkey"]) assert.notInclude(JSON.stringify({ ...read, currencies: [] }), secret)
    return undefined
  })

  it("refuse a database elsewhere whose connection is not sure to be encrypted, and show no password", () => {
    const elsewhere = "postgres://u:dbsecret@db.example/bursar"
    const { mistakes: found } = mistakes({ ...good, DATABASE_URL: `${elsewhere}?sslmode=prefer` })
    assert.lengthOf(found, 1)
    assert.match(found[0] ?? "", /^DATABASE_URL: sslmode=prefer/u)
    assert.notInclude(found[0] ?? "", "dbsecret")
    for (const url of [elsewhere, `${elsewhere}?sslmode=disable`])
      assert.isTrue(Result.isSuccess(readSettings({ ...good, DATABASE_URL: url })), url)
  })

  it("refuse a trusted proxy that is no address or range, or that is everybody", () => {
    for (const proxies of ["10.0.0.0/33", "10.0.0.1,proxy.example", "0.0.0.0/0", "::/0"]) {
      const { mistakes: found } = mistakes({ ...good, TRUSTED_PROXIES: proxies })
      assert.lengthOf(found, 1, proxies)
      assert.match(found[0] ?? "", /^TRUSTED_PROXIES: /u)
    }
    assert.isTrue(Result.isSuccess(readSettings({ ...good, TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8::1" })))
  })

  it("say where operators look things up: a page for each of the two, or nowhere, of networks that there are", () => {
    const explorers = (value: unknown) =>
      readSettings({ ...good, EXPLORERS: typeof value === "string" ? value : JSON.stringify(value) })
    const usual = { transaction: "https://e.example/tx/{hash}", address: "https://e.example/a?of={address}#x" }
    const read = Result.getOrThrow(explorers({ ethereum: usual, bsc: null }))
    assert.deepStrictEqual(
      [...read.explorers],
      [
        ["ethereum", usual],
        ["bsc", null]
      ]
    )
    assert.deepStrictEqual([...Result.getOrThrow(readSettings(good)).explorers], [])
    const found = (value: unknown) =>
      Result.match(explorers(value), { onFailure: (wrong) => wrong.mistakes, onSuccess: () => [] })
    assert.deepStrictEqual(found({ nowhere: usual }), ["EXPLORERS: nowhere is not a network"])
    for (const wrong of [
      "ethereum",
      [usual],
      { ethereum: { transaction: usual.transaction } },
      { ethereum: { ...usual, more: 1 } },
      { ethereum: { ...usual, transaction: "javascript:alert(1)//{hash}" } },
      { ethereum: { ...usual, transaction: "https://{hash}.example/" } },
      { ethereum: { ...usual, transaction: "https://e.example{hash}" } },
      { ethereum: { ...usual, transaction: "https://e.example/{address}" } },
      { ethereum: { ...usual, transaction: "https://e.example/{hash}/{hash}" } },
      { ethereum: { ...usual, transaction: "https://me:secret@e.example/{hash}" } }
    ]) {
      const [first = "", ...others] = found(wrong)
      assert.match(first, /^EXPLORERS: Expected JSON like/u, JSON.stringify(wrong))
      assert.deepStrictEqual(others, [])
      assert.notInclude(first, "secret")
    }
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

  it("keep earlier custodians beside the one that takes new orders, and refuse an exchange that is named twice", () => {
    const custodian = { CUSTODIAN: "kraken", CUSTODIAN_API_KEY: "k", CUSTODIAN_API_SECRET: "s" }
    const earlier = (exchange: string) =>
      JSON.stringify([{ exchange, api_key: "oldkey", api_secret: "oldsecret", api_passphrase: "phrase" }])
    const { providers } = Result.getOrThrow(readSettings({ ...good, ...custodian, EARLIER_CUSTODIANS: earlier("okx") }))
    assert.strictEqual(providers.custodian?.exchange, "kraken")
    const [okx] = providers.earlierCustodians
    assert.strictEqual(okx?.exchange, "okx")
    assert.strictEqual(okx && Redacted.value(okx.secret), "oldsecret")
    assert.deepStrictEqual(mistakes({ ...good, ...custodian, EARLIER_CUSTODIANS: earlier("kraken") }).mistakes, [
      "EARLIER_CUSTODIANS names kraken, which is configured twice"
    ])
    const unread = mistakes({ ...good, EARLIER_CUSTODIANS: '[{"exchange":"okx","api_key":"oldkey"}]' }).mistakes
    assert.isAbove(unread.length, 0)
    assert.notInclude(unread.join(), "oldkey")
  })

  it("take a root of grants only where its approvers can reach every quorum", () => {
    const approver = (id: string, key: string) => ({
      id,
      name: id,
      keys: [{ type: "ed25519" as const, public_key: key }]
    })
    // the first two keys of RFC 8032, 7.1
    const approvers = [
      approver("ann", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"),
      approver("bob", "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw")
    ]
    const root = { approvers, quorum: "2", quorums: {} }
    const read = (value: unknown) => readSettings({ ...good, GRANT_ROOT: JSON.stringify(value) })
    assert.isNull(Result.getOrThrow(readSettings(good)).grantRoot)
    assert.deepStrictEqual(Result.getOrThrow(read(root)).grantRoot, root)
    for (const wrong of [{ ...root, quorum: "3" }, { ...root, approvers: [] }, { ...root, more: "1" }, []]) {
      const found = read(wrong)
      assert.isTrue(Result.isFailure(found) && found.failure.message.includes("GRANT_ROOT"), JSON.stringify(wrong))
    }
  })

  it("choose key custodies by name, each with all that it needs", () => {
    const custody = (variables: Record<string, string>) =>
      Result.getOrThrow(readSignSettings({ ...signing, ...variables })).custody
    assert.deepStrictEqual(custody({}).names, [])
    const pkcs11 = { PKCS11_MODULE: "/hsm.so", PKCS11_TOKEN: "payouts", PKCS11_PIN_FILE: "/run/pin" }
    const both = custody({ KEY_CUSTODY: "pkcs11, aws-kms", ...pkcs11, AWS_KMS_REGION: "eu-central-1" })
    assert.deepStrictEqual(both.names, ["pkcs11", "aws-kms"])
    assert.strictEqual(both.pkcs11?.token, "payouts")
    assert.strictEqual(both.kms?.region, "eu-central-1")
    for (const [variables, mistake] of [
      [{ KEY_CUSTODY: "hsm" }, "KEY_CUSTODY"],
      [{ KEY_CUSTODY: "sealed,sealed", SEALED_CUSTODY_DIRECTORY: "/keys" }, "twice"],
      [{ KEY_CUSTODY: "sealed" }, "SEALED_CUSTODY_DIRECTORY is missing"],
      [{ KEY_CUSTODY: "pkcs11", PKCS11_MODULE: "/hsm.so" }, "PKCS11_PIN_FILE is missing"],
      [{ KEY_CUSTODY: "aws-kms" }, "AWS_KMS_REGION is missing"],
      [{ KEY_CUSTODY: "aws-kms", AWS_KMS_REGION: "Frankfurt" }, "AWS_KMS_REGION"],
      [{ KEY_CUSTODY_PREFIX: "../" }, "KEY_CUSTODY_PREFIX"]
    ] as const) {
      assert.include(signMistakes({ ...signing, ...variables }).message, mistake)
    }
  })

  it("name every mistake at once and show no secret", () => {
    const { message } = mistakes({
      DATABASE_URL: "mysql://u:dbsecret@h/x",
      PORT: "eighty",
      KEY_PEPPER: "shortpepper",
      SECRETS_KEY: "nonsense",
      ETHEREUM_RPC_URL: "node:user:rpcsecret",
      ETHEREUM_CONFIRMATIONS: "0"
    })
    for (const name of [
      "DATABASE_URL",
      "PORT",
      "KEY_PEPPER",
      "OPERATOR_TOKEN is missing",
      "SECRETS_KEY",
      "SIGNER is missing",
      "ETHEREUM_RPC_URL",
      "ETHEREUM_CONFIRMATIONS"
    ]) {
      assert.include(message, name)
    }
    for (const hidden of ["dbsecret", "shortpepper", "nonsense", "rpcsecret"]) assert.notInclude(message, hidden)
  })

  it("tell operators apart: each once, in lower case, with a token of its own that the service does not hold", () => {
    const hash = (letter: string) => `sha256-${letter.repeat(64)}`
    const { OPERATOR_TOKEN: _shared, ...named } = good
    const { operators, operatorToken } = Result.getOrThrow(
      readSettings({
        ...named,
        OPERATORS: `Alice@example.com:operator:${hash("a")}, bob:approver:${hash("b")}:2027-06-30`
      })
    )
    assert.isNull(operatorToken)
    assert.deepStrictEqual(operators, [
      { name: "alice@example.com", role: "operator", tokenHash: "a".repeat(64), expiresAt: null },
      { name: "bob", role: "approver", tokenHash: "b".repeat(64), expiresAt: Date.UTC(2027, 5, 30) }
    ])
    for (const [text, says] of [
      [`alice:boss:${hash("a")}`, /name:role:sha256-hash/u],
      [`alice:admin:${"x".repeat(43)}`, /name:role:sha256-hash/u],
      [`alice:admin:${hash("a")}:2027-02-30`, /name:role:sha256-hash/u],
      [`-x:admin:${hash("a")}`, /name:role:sha256-hash/u],
      [`Operator:admin:${hash("a")}`, /another name/u],
      [`alice:admin:${hash("a")},ALICE:viewer:${hash("b")}`, /every operator once/u],
      [`alice:admin:${hash("a")},bob:viewer:${hash("a")}`, /token of its own/u]
    ] as const) {
      const { message } = mistakes({ ...named, OPERATORS: text })
      assert.match(message, says, text)
      for (const hidden of ["x".repeat(43), "a".repeat(64), "b".repeat(64)]) assert.notInclude(message, hidden)
    }
    const both = mistakes({ ...good, OPERATORS: `alice:admin:${hash("a")}` })
    assert.match(both.message, /OPERATOR_TOKEN: Expected none/u)
    assert.match(mistakes(named).message, /OPERATOR_TOKEN is missing: set OPERATORS/u)
  })

  it("bind operators of an identity provider to their subjects, each person once", () => {
    const hash = `sha256-${"a".repeat(64)}`
    const { OPERATOR_TOKEN: _shared, ...named } = good
    const signedIn = {
      ...named,
      OPERATORS: `Alice:admin:${hash},alice:admin:oidc-auth0%7C5f%2C2b,bob:viewer:oidc-bob`,
      OPERATOR_OIDC_ISSUER: "https://id.example.com/realms/ops",
      OPERATOR_OIDC_AUDIENCE: "bursar",
      OPERATOR_OIDC_REQUIRED_CLAIMS: "amr=otp, email_verified=true",
      OPERATOR_OIDC_ROLES: "cn=ops=operator,boss=admin",
      OPERATOR_OIDC_ROLE_CLAIM: "realm_access.roles"
    }
    const { oidc, operators } = Result.getOrThrow(readSettings(signedIn))
    assert.lengthOf(operators, 1)
    assert.deepStrictEqual(oidc, {
      issuer: "https://id.example.com/realms/ops",
      audience: "bursar",
      clients: ["bursar"],
      policy: {
        operators: [
          { name: "alice", role: "admin", subject: "auth0|5f,2b" },
          { name: "bob", role: "viewer", subject: "bob" }
        ],
        subjectClaim: "sub",
        requiredClaims: [
          { claim: "amr", value: "otp" },
          { claim: "email_verified", value: "true" }
        ],
        roles: {
          claim: "realm_access.roles",
          of: new Map<string, OperatorRole>([
            ["cn=ops", "operator"],
            ["boss", "admin"]
          ])
        }
      }
    })
    for (const [changed, says] of [
      [{ OPERATORS: "alice:admin:oidc-a,bob:viewer:oidc-a" }, /every subject of the identity provider once/iu],
      [{ OPERATORS: `alice:admin:${hash},alice:viewer:oidc-a` }, /the same role/u],
      [{ OPERATORS: "alice:admin:oidc-%" }, /name:role/u],
      [{ OPERATORS: "operator:admin:oidc-a" }, /another name/u],
      [{ OPERATORS: `alice:admin:${hash}` }, /nobody who signs in/u],
      [{ OPERATOR_OIDC_ISSUER: "" }, /OPERATOR_OIDC_ISSUER is missing/u],
      [{ OPERATOR_OIDC_AUDIENCE: "" }, /OPERATOR_OIDC_AUDIENCE is missing/u],
      [{ OPERATOR_OIDC_ISSUER: "http://id.example.com" }, /must be a URL that starts with https/u],
      [{ OPERATOR_OIDC_SUBJECT_CLAIM: "email" }, /stays with a person for good/u],
      [{ OPERATOR_OIDC_SUBJECT_CLAIM: "preferred_username" }, /stays with a person for good/u],
      [{ OPERATOR_OIDC_ROLES: "boss=god" }, /value=role/u],
      [{ OPERATOR_OIDC_ROLES: "" }, /OPERATOR_OIDC_ROLES is missing/u],
      [{ OPERATOR_OIDC_REQUIRED_CLAIMS: "amr" }, /claim=value/u],
      [{ OPERATOR_OIDC_CLOCK_TOLERANCE_SECONDS: "3600" }, /from 0 to 60/u],
      [{ OPERATOR_TOKEN: "operator-token-operator-token-operator" }, /OPERATOR_TOKEN: Expected none/u]
    ] as const)
      assert.match(mistakes({ ...signedIn, ...changed }).message, says, JSON.stringify(changed))
  })
})
