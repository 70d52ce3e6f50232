import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { utils } from "tronweb"
import { base58Of, hexOf } from "../src/address.ts"
import { splitData, splitter, tokens } from "../src/contracts.ts"
import recorded from "./java-tron-4.8.0.json" with { type: "json" }
import { attempt, contractAt, Tron } from "./support.ts"

/** Fields whose words are compared, not only their kind. */
const worded = new Set(["Error", "code", "contractRet", "message", "note", "permission_name", "prices", "resMessage"])

const kindOf = (value: unknown): string => {
  if (typeof value !== "string") return value === null ? "null" : typeof value
  if (value === "") return "nothing"
  if (/^(?:[0-9a-f]{2})+$/u.test(value)) return "bytes"
  return hexOf(value) === undefined ? "text" : "base58"
}

/** The words of an error, without what a parser says of its own reading: the place, and what it had expected there. */
const wordsOf = (value: unknown): string =>
  (kindOf(value) === "bytes" ? Buffer.from(String(value), "hex").toString() : String(value))
    .replace(/^(class \S+ParseException : )\d+:\d+/u, "$1")
    .replace(/^(class \S+(?:JSONException|DecoderException|InvalidProtocolBufferException)) : .*$/u, "$1")
    .replace(/"+/gu, '"')

/** Where two answers differ in their fields, in the kinds of their values, or in the words of some. */
const differences = (real: unknown, local: unknown, path: string, name = ""): ReadonlyArray<string> => {
  if (Array.isArray(real) && Array.isArray(local)) {
    if (real.length === 0 || local.length === 0)
      return real.length === local.length ? [] : [`${path}: ${real.length} and ${local.length} entries`]
    return differences(real[0], local[0], `${path}.0`, name)
  }
  if (typeof real === "object" && typeof local === "object" && real !== null && local !== null) {
    const names = new Set([...Object.keys(real), ...Object.keys(local)])
    return [...names].flatMap((field) => {
      if (!(field in local)) return [`${path}.${field}: only real`]
      if (!(field in real)) return [`${path}.${field}: only local`]
      return differences(Reflect.get(real, field), Reflect.get(local, field), `${path}.${field}`, field)
    })
  }
  if (worded.has(name)) return wordsOf(real) === wordsOf(local) ? [] : [`${path}: ${String(real)} and ${String(local)}`]
  return kindOf(real) === kindOf(local) ? [] : [`${path}: ${kindOf(real)} and ${kindOf(local)}`]
}

/** What differs on purpose: the label and the path as a pattern, and why. */
const exceptions: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^getblock(?: header|bynum) (?:0|none)\.(?:block_header\.|transactions)/u,
    "transactions can be made on the first block, so it has a time and a producer; what it allots is in no transactions"
  ],
  [
    /(?:revert|too much).*\.(?:contractResult|constant_result)\.0: nothing and bytes$/u,
    "the contract there asserts, the local one says why it reverts"
  ],
  [/\.asset_optimized: only real$/u, "what an old account stored TRC-10 tokens by, which there are none of here"],
  [
    /(?:\.net_(?:fee|usage): only (?:real|local)| memo(?: visible)?\.fee: only real)$/u,
    "whether free bandwidth is left depends on what was sent before"
  ],
  [
    /^gettransactioninfobyid ooe(?: visible)?\.resMessage: /u,
    "the words name the operation at which the energy ran out"
  ],
  [/^getcontract\.abi\.entrys\.0\./u, "the first entry there is a constructor, which nothing here has run"],
  [/pending\.raw_data\.data: only real$/u, "that transaction had a memo"]
]

layer(Tron.layer({ mining: "manual", solidifiedLag: 2 }), { excludeTestServices: true })(
  "the local tron network beside java-tron",
  (it) => {
    it.effect("answers every recorded question with the same fields, kinds and words", () =>
      Effect.gen(function* () {
        const { devnet, stranger, wallet } = yield* Tron
        const { faucet } = devnet
        const token = tokens[0] ?? assert.fail("there is no token")
        const answers = new Map<string, { readonly status: number; readonly answer: unknown }>()
        const put = (label: string, endpoint: string, body: object | string = {}, method = "POST") =>
          Effect.promise(async () => {
            const response = await fetch(`${devnet.nodeUrl}/${endpoint}`, {
              method,
              ...(method === "GET" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
            })
            const text = await response.text()
            const answer: unknown = text.startsWith("<") ? {} : JSON.parse(text)
            answers.set(label, { status: response.status, answer })
            return answer
          })
        const owner = hexOf(wallet.defaultAddress.base58 || "") ?? ""
        const [to, other] = [hexOf(yield* stranger) ?? "", hexOf(yield* stranger) ?? ""]
        const methods = yield* contractAt(wallet, base58Of(token.address))
        const nothing = "ab".repeat(32)

        const coin = yield* attempt(() => wallet.trx.sendTransaction(base58Of(to), 5_000_000))
        const trx = { value: coin.transaction.txID }
        yield* put("gettransactionfrompending", "wallet/gettransactionfrompending", trx)
        yield* put("gettransactionbyid pending", "wallet/gettransactionbyid", trx)
        yield* put("walletsolidity/gettransactionbyid pending", "walletsolidity/gettransactionbyid", trx)
        yield* put("gettransactionlistfrompending", "wallet/gettransactionlistfrompending")
        yield* put("getpendingsize", "wallet/getpendingsize")
        yield* put("getaccount of receiver while pending", "wallet/getaccount", { address: to })
        const plain = { owner_address: owner, to_address: to, amount: 5 }
        const noted = yield* put("createtransaction extra_data", "wallet/createtransaction", {
          ...plain,
          extra_data: "6d656d6f"
        })
        const memo = utils.crypto.signTransaction(devnet.fundedKey, structuredClone(noted))
        yield* put("broadcasttransaction ok", "wallet/broadcasttransaction", memo)

        const paid = methods["transfer"] ?? assert.fail("it has no transfer")
        const sent = {
          token: yield* attempt(() => paid(base58Of(to), 1_000).send()),
          revert: yield* attempt(() => paid(base58Of(to), `1${"0".repeat(30)}`).send({ feeLimit: 100_000_000 })),
          ooe: yield* attempt(() => paid(base58Of(other), 1).send({ feeLimit: 100_000 })),
          split: yield* faucet.call(splitter.address, splitData([to, other], [3n, 4n]), 7n)
        }
        yield* faucet.mine(1)
        const { number } = faucet.chain.head()
        for (const [kind, value] of Object.entries({ ...sent, trx: trx.value, memo: memo.txID })) {
          yield* put(`gettransactionbyid ${kind}`, "wallet/gettransactionbyid", { value })
          yield* put(`gettransactioninfobyid ${kind}`, "wallet/gettransactioninfobyid", { value })
          yield* put(`gettransactioninfobyid ${kind} visible`, "wallet/gettransactioninfobyid", {
            value,
            visible: true
          })
        }
        yield* put("walletsolidity getblock above solid", "walletsolidity/getblock", { id_or_num: String(number) })
        yield* put("walletsolidity getblockbynum above solid", "walletsolidity/getblockbynum", { num: number })
        yield* faucet.mine(6)
        const call = (to_: string, signature: string, parameter: string) => ({
          owner_address: owner,
          contract_address: to_,
          function_selector: signature,
          parameter
        })
        const word = (hex: string) => hex.padStart(64, "0")
        const balance = call(token.address, "balanceOf(address)", word(owner.slice(2)))
        const transferring = (units: string) =>
          call(token.address, "transfer(address,uint256)", word(to.slice(2)) + word(units))
        const asked: ReadonlyArray<readonly [string, string, (object | string)?, "GET"?]> = [
          ["getaccount none", "wallet/getaccount", { address: `41${"77".repeat(20)}` }],
          ["getaccount contract", "wallet/getaccount", { address: token.address }],
          ["getaccount missing", "wallet/getaccount"],
          ["getaccountresource", "wallet/getaccountresource", { address: owner }],
          ["getaccountresource none", "wallet/getaccountresource", { address: `41${"77".repeat(20)}` }],
          ["getaccountnet", "wallet/getaccountnet", { address: owner }],
          ["getblockbynum", "wallet/getblockbynum", { num: number }],
          ["getblock number", "wallet/getblock", { id_or_num: String(number), detail: false }],
          ["getblockbynum above", "wallet/getblockbynum", { num: 99_999_999 }],
          ["getblock header 0", "wallet/getblock", { id_or_num: "0", detail: false }],
          ["getblockbylimitnext", "wallet/getblockbylimitnext", { startNum: number + 1, endNum: number + 3 }],
          ["getblockbylimitnext reversed", "wallet/getblockbylimitnext", { startNum: 3, endNum: 1 }],
          ["getblockbylimitnext 101", "wallet/getblockbylimitnext", { startNum: 0, endNum: 101 }],
          ["getblockbylatestnum", "wallet/getblockbylatestnum", { num: 1 }],
          ["gettransactioninfobyblocknum", "wallet/gettransactioninfobyblocknum", { num: number }],
          ["gettransactioninfobyblocknum above head", "wallet/gettransactioninfobyblocknum", { num: 99_999_999 }],
          ["gettransactioninfobyblocknum 0", "wallet/gettransactioninfobyblocknum", { num: 0 }],
          ["gettransactioncountbyblocknum above", "wallet/gettransactioncountbyblocknum", { num: 99_999_999 }],
          ["walletsolidity getnowblock", "walletsolidity/getnowblock"],
          ["constant balanceOf", "wallet/triggerconstantcontract", balance],
          ["walletsolidity constant balanceOf", "walletsolidity/triggerconstantcontract", balance],
          ["constant transfer", "wallet/triggerconstantcontract", transferring("1")],
          ["constant transfer too much", "wallet/triggerconstantcontract", transferring("f".repeat(30))],
          [
            "constant no contract",
            "wallet/triggerconstantcontract",
            call(`41${"77".repeat(20)}`, "balanceOf(address)", "")
          ],
          ["estimateenergy", "wallet/estimateenergy", transferring("1")],
          ["estimateenergy reverts", "wallet/estimateenergy", transferring("f".repeat(30))],
          ["gettransactionbyid unknown", "wallet/gettransactionbyid", { value: nothing }],
          ["gettransactioninfobyid unknown", "wallet/gettransactioninfobyid", { value: nothing }],
          ["getmemofee", "wallet/getmemofee"],
          ["no such endpoint", "wallet/nosuchthing"],
          ["solidity has no broadcast", "walletsolidity/broadcasthex"],
          ["broadcasthex empty", "wallet/broadcasthex", { transaction: "" }],
          ["createtransaction", "wallet/createtransaction", plain],
          [
            "createtransaction visible",
            "wallet/createtransaction",
            { owner_address: base58Of(owner), to_address: base58Of(to), amount: 5, visible: true }
          ],
          ["createtransaction zero", "wallet/createtransaction", { ...plain, amount: 0 }],
          [
            "createtransaction unknown owner",
            "wallet/createtransaction",
            { ...plain, owner_address: `41${"77".repeat(20)}` }
          ],
          ["createtransaction bad address", "wallet/createtransaction", { ...plain, to_address: "nonsense" }],
          ["createtransaction to contract", "wallet/createtransaction", { ...plain, to_address: token.address }],
          ["triggersmartcontract transfer", "wallet/triggersmartcontract", { ...transferring("1"), fee_limit: 100 }],
          ["gettransactioninfobyblocknum -1", "wallet/gettransactioninfobyblocknum", { num: -1 }],
          ["getblockbynum visible", "wallet/getblockbynum", { num: number, visible: true }],
          ["getblockbynum 0", "wallet/getblockbynum", { num: 0 }],
          ["getblockbynum none", "wallet/getblockbynum"],
          ["getblockbynum -1", "wallet/getblockbynum", { num: -1 }],
          ["getblockbynum text", "wallet/getblockbynum", { num: "abc" }],
          ["getblock latest", "wallet/getblock", { detail: false }],
          ["getblock number detail", "wallet/getblock", { id_or_num: String(number), detail: true }],
          ["getblock above", "wallet/getblock", { id_or_num: "99999999" }],
          ["getblock bad", "wallet/getblock", { id_or_num: "nonsense" }],
          ["getblock unknown id", "wallet/getblock", { id_or_num: nothing }],
          ["getblock -1", "wallet/getblock", { id_or_num: "-1" }],
          ["getblockbyid unknown", "wallet/getblockbyid", { value: nothing }],
          ["getblockbyid bad", "wallet/getblockbyid", { value: "nonsense" }],
          ["getblockbyid short", "wallet/getblockbyid", { value: "abcd" }],
          ["getblockbylimitnext above", "wallet/getblockbylimitnext", { startNum: 99_999_990, endNum: 99_999_999 }],
          ["walletsolidity getblock latest", "walletsolidity/getblock", { detail: false }],
          ["getaccount new", "wallet/getaccount", { address: to }],
          ["getaccount visible", "wallet/getaccount", { address: base58Of(to), visible: true }],
          ["getaccount bad", "wallet/getaccount", { address: "nonsense" }],
          ["getaccountresource new", "wallet/getaccountresource", { address: to }],
          ["getcontract", "wallet/getcontract", { value: token.address }],
          ["getcontract none", "wallet/getcontract", { value: owner }],
          ["constant unknown function", "wallet/triggerconstantcontract", call(token.address, "nothing(address)", "")],
          ["constant bad selector", "wallet/triggerconstantcontract", call(token.address, "no selector", "")],
          [
            "constant no data",
            "wallet/triggerconstantcontract",
            { owner_address: owner, contract_address: token.address }
          ],
          ["constant bad owner", "wallet/triggerconstantcontract", { ...balance, owner_address: "nonsense" }],
          [
            "constant owner not active",
            "wallet/triggerconstantcontract",
            { ...balance, owner_address: `41${"77".repeat(20)}` }
          ],
          ["gettransactionbyid bad", "wallet/gettransactionbyid", { value: "nonsense" }],
          ["gettransactioninfobyid bad", "wallet/gettransactioninfobyid", { value: "nonsense" }],
          ["gettransactioninfobyid odd", "wallet/gettransactioninfobyid", { value: "abc" }],
          ["walletsolidity/gettransactioninfobyid", "walletsolidity/gettransactioninfobyid", trx],
          ["gettransactioncountbyblocknum", "wallet/gettransactioncountbyblocknum", { num: number + 1 }],
          ["listwitnesses", "wallet/listwitnesses"],
          ["validateaddress", "wallet/validateaddress", { address: base58Of(owner) }],
          ["validateaddress bad", "wallet/validateaddress", { address: "nonsense" }],
          ["solidity has no getaccountresource", "walletsolidity/getaccountresource", { address: owner }],
          ["solidity has no getchainparameters", "walletsolidity/getchainparameters"],
          ["body is not JSON", "wallet/getnowblock", "nonsense"],
          ["body empty getnowblock", "wallet/getnowblock", ""],
          ["GET getnowblock", "wallet/getnowblock", {}, "GET"],
          ["broadcasthex nonsense", "wallet/broadcasthex", { transaction: "00ff" }],
          ["broadcasthex not hex", "wallet/broadcasthex", { transaction: "nonsense" }],
          ["broadcasthex none", "wallet/broadcasthex"],
          [
            "createtransaction to itself",
            "wallet/createtransaction",
            { owner_address: owner, to_address: owner, amount: 5 }
          ],
          [
            "createtransaction too much",
            "wallet/createtransaction",
            { owner_address: owner, to_address: to, amount: 9e15 }
          ]
        ]
        for (const [label, endpoint, body, method] of asked) yield* put(label, endpoint, body, method)
        const found = recorded.answers.flatMap(({ answer, label, status }) => {
          const local = answers.get(label)
          if (local === undefined) return [`${label}: was not asked`]
          if (local.status !== status) return [`${label}: HTTP ${status} and ${local.status}`]
          return differences(answer, local.answer, label)
        })
        assert.deepStrictEqual(
          found.filter((difference) => !exceptions.some(([shape]) => shape.test(difference))),
          []
        )
        // An exception that nothing needs any more goes.
        assert.deepStrictEqual(
          exceptions.filter(([shape]) => !found.some((difference) => shape.test(difference))).map(([, why]) => why),
          []
        )
      })
    )
  }
)
