import { makeNode } from "@bursar/simulator-bitcoin/Node"
import { contextOf } from "@bursar/simulator-bitcoin/rpc/Method"
import { type Call, run, statusOf } from "@bursar/simulator-bitcoin/rpc/dispatch"
import { assert, describe, it } from "@effect/vitest"
import { Block } from "bitcoinjs-lib"
import { type Asked, recording } from "./support/recorded.ts"

const { origin, phases } = recording("transactions")

/** A way in which two answers differ that is none of the local node's faults. */
interface Allowance {
  readonly because: string
  /** The method with the place in its answer; the places of lists and the ids among names stand as `[]` and `<id>`. */
  readonly at: RegExp
  /** Where only one value may differ: what the real node says there. */
  readonly real?: RegExp
}

const allowances: ReadonlyArray<Allowance> = [
  {
    because: "Bitcoin Knots tells more than Bitcoin Core",
    at: /\.(?:txcount|header_version|startingpriority|currentpriority|dustrelayfee|dustrelayfeefloor|dustdynamic|rbf_policy|truc_policy)$/u
  },
  {
    because: "Bitcoin Knots repeats the wtxid",
    at: /^(?:getmempoolentry \.result|getrawmempool \.result\.<id>)\.hash$/u
  },
  { because: "Bitcoin Knots tells how much memory it takes", at: /^testmempoolaccept \.result\[\]\.usage$/u },
  {
    because: "Bitcoin Knots has a name of its own for dust",
    at: /^(?:testmempoolaccept|sendrawtransaction) /u,
    real: /^"dust-nonanchor"$/u
  },
  {
    because: "each names itself and what it can do",
    at: /^getnetworkinfo \.result\.(?:version|subversion|localservices|localservicesnames.*)$/u
  },
  { because: "how nodes lie in memory and on disks is their own", at: /\.(?:usage|size_on_disk)$/u },
  {
    because: "a question that is put wrongly is answered with a manual",
    at: /\.error\.message$/u,
    real: /\\n\\nArguments:|\\n\\nResult:/u
  },
  {
    because: "a real node forgets what it has just seen mined when it writes its cache to the disk",
    at: /^testmempoolaccept \.result\[\]\.reject-(?:reason|details)$/u,
    real: /^(?:"missing-inputs"|undefined)$/u
  }
]

/** Every value of an answer by its place. The lengths of lists count as values. */
const valuesOf = (value: unknown, at = ""): ReadonlyArray<readonly [string, unknown]> => {
  if (Array.isArray(value)) {
    return [[`${at}.length`, value.length], ...value.flatMap((one, index) => valuesOf(one, `${at}[${index}]`))]
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, one]) => valuesOf(one, `${at}.${name}`))
  }
  return [[at, value]]
}

interface Difference {
  readonly at: string
  readonly real: string
  readonly ours: string
}

const differences = (method: string, real: unknown, ours: unknown): ReadonlyArray<Difference> => {
  const [those, these] = [new Map(valuesOf(real)), new Map(valuesOf(ours))]
  return [...new Set([...those.keys(), ...these.keys()])]
    .filter((at) => those.get(at) !== these.get(at))
    .map((at) => ({
      at: `${method} ${at.replaceAll(/\[\d+\]/gu, "[]").replaceAll(/\.[0-9a-f]{64}/gu, ".<id>")}`,
      real: `${JSON.stringify(those.get(at))}`,
      ours: `${JSON.stringify(these.get(at))}`
    }))
}

const allowanceOf = ({ at, real }: Difference) =>
  allowances.find((one) => one.at.test(at) && (one.real === undefined || one.real.test(real)))

/** The answer of the local node as it goes over the wire. */
const answered = (node: ReturnType<typeof makeNode>, now: number, { method, params }: Asked) => {
  const call: Call = { version: 1, id: 0, silent: false, method, params }
  const outcome = run(contextOf(node, now, now, 0), call)
  return JSON.parse(JSON.stringify({ status: statusOf(call, outcome), ...outcome })) as unknown
}

describe(`the local bitcoin node beside ${origin.client}, as recorded on ${origin.recorded}`, () => {
  const node = makeNode()
  const used = new Set<Allowance>()
  let now = 0
  // One after the other: each phase goes on where the one before it ended.
  for (const { name, steps } of phases) {
    it(`answers each question to the value on the same blocks and transactions: ${name}`, () => {
      for (const step of steps) {
        if ("at" in step) now = step.at
        else if ("block" in step) node.restore(Block.fromHex(step.block), now)
        else {
          const { method, params, ...real } = step
          const found = differences(method, real, answered(node, now, step))
          for (const difference of found) {
            const allowed = allowanceOf(difference)
            if (allowed === undefined) assert.fail(JSON.stringify({ ...difference, params }, undefined, 2))
            used.add(allowed)
          }
        }
      }
    })
  }

  it("has no allowance that is not needed", () => {
    assert.deepStrictEqual(
      allowances.filter((one) => !used.has(one)).map(({ because }) => because),
      []
    )
  })
})
