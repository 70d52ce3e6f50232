import { assert, describe, it } from "@effect/vitest"
import { addressOfKey, signature } from "../src/account.ts"
import { idOf } from "../src/Block.ts"
import { makeChain, referenceOf, type Chain } from "../src/Chain.ts"
import { tokens } from "../src/contracts.ts"
import { Refused } from "../src/execute.ts"
import { fundedKey, genesisTime } from "../src/genesis.ts"
import { message } from "../src/protobuf.ts"
import { keys } from "../src/Store.ts"
import { decode, make, type Contract, type RawData, type Transaction } from "../src/Transaction.ts"

const owner = addressOfKey(fundedKey)
const otherKey = "11".repeat(32)
const other = addressOfKey(otherKey)
const now = genesisTime + 1_000_000

const started = (solidifiedLag = 2): Chain => {
  const chain = makeChain(solidifiedLag)
  chain.mine(now)
  return chain
}

const pay = (amount: bigint, to = other): Contract => ({ type: "TransferContract", owner, to, amount })

const signed = (chain: Chain, contract: Contract, change: Partial<RawData> = {}, key = fundedKey): Transaction => {
  const unsigned = make({
    ...referenceOf(chain.head()),
    expiration: BigInt(chain.head().time) + 60_000n,
    timestamp: BigInt(now),
    feeLimit: contract.type === "TransferContract" ? 0n : 100_000_000n,
    memo: "",
    permissionId: 0n,
    contract,
    ...change
  })
  return { ...unsigned, signatures: [signature(key, unsigned.id)] }
}

const refusal = (chain: Chain, transaction: Transaction): string => {
  const before = chain.pending().length
  try {
    chain.submit(transaction, now)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    assert.lengthOf(chain.pending(), before)
    return `${error.code}: ${error.message}`
  }
  return "accepted"
}

describe("the local tron chain", () => {
  it("reads and writes transactions as the main network has them", () => {
    // Of block 67674988 of the main network.
    const hex =
      "0a02a3582208c773a99ac91938c640c0f6ecb8ba325a65080112610a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e54" +
      "72616e73666572436f6e747261637412300a154174d7980a2a3e48e3a863365542e92ab8d646e0aa121541c3d34597fb01e25d4d8e7ef34ccdd0f0" +
      "5bf8547318067081b5e9b8ba32"
    const read = decode(message(1, hex))
    assert.isDefined(read)
    assert.deepInclude(read.raw, {
      refBlockBytes: "a358",
      refBlockHash: "c773a99ac91938c6",
      expiration: 1_733_675_400_000n,
      timestamp: 1_733_675_342_465n,
      contract: {
        type: "TransferContract",
        owner: "4174d7980a2a3e48e3a863365542e92ab8d646e0aa",
        to: "41c3d34597fb01e25d4d8e7ef34ccdd0f05bf85473",
        amount: 6n
      }
    })
    assert.strictEqual(make(read.raw).rawHex, hex)
  })

  it("gives a block the id that the main network gave it", () => {
    // The header of block 67674988 of the main network.
    const header = {
      number: 67_674_988,
      root: "08203d3094277ae2bfc9981bde29400a87ab5bc6b9aa807ce42d96a2de5ea109",
      witness: "417f5e5aca5332ce5e18414d7f85bb62097cefa453",
      parentId: "000000000408a36b033d241520fd155cb0351a27bce043ddb7799ec2790ca1ee",
      time: 1_733_675_346_000
    }
    assert.strictEqual(idOf(header, 31), "000000000408a36cd32a8e674045e96f895b7708b85fa5141f3c8fd92eb497a8")
  })

  it("refuses what the network refuses, in its words", () => {
    const chain = started()
    const { time } = chain.head()
    const good = signed(chain, pay(1_000n))
    const cases: ReadonlyArray<readonly [Transaction, RegExp]> = [
      [{ ...good, signatures: [] }, /^SIGERROR: .*miss sig/u],
      [{ ...good, signatures: ["00".repeat(64)] }, /^SIGERROR: .*Signature size is 64/u],
      [signed(chain, pay(1_000n), {}, otherKey), /^SIGERROR: .*not contained of permission/u],
      [{ ...good, signatures: [...good.signatures, ...good.signatures] }, /^SIGERROR: .*more than key counts/u],
      [signed(chain, pay(1_000n), { permissionId: 3n }), /^SIGERROR: .*permission isn't exit/u],
      [signed(chain, pay(1_000n), { refBlockHash: "00".repeat(8) }), /^TAPOS_ERROR: Tapos check error\./u],
      [signed(chain, pay(1_000n), { refBlockBytes: "0009" }), /^TAPOS_ERROR/u],
      [signed(chain, pay(1_000n), { expiration: BigInt(time) }), /^TRANSACTION_EXPIRATION_ERROR: Transaction expired/u],
      [signed(chain, pay(1_000n), { expiration: BigInt(time) + 86_400_001n }), /^TRANSACTION_EXPIRATION_ERROR/u],
      [signed(chain, pay(0n)), /^CONTRACT_VALIDATE_ERROR: .*Amount must be greater than 0/u],
      [signed(chain, pay(1n, owner)), /^CONTRACT_VALIDATE_ERROR: .*to yourself/u],
      [signed(chain, pay(1n, tokens[0]!.address)), /^CONTRACT_VALIDATE_ERROR: .*to a smartContract/u],
      [signed(chain, pay(10n ** 15n)), /^CONTRACT_VALIDATE_ERROR: .*balance is not sufficient/u],
      [
        signed(chain, { type: "TransferContract", owner: other, to: owner, amount: 1n }, {}, otherKey),
        /^BANDWITH_ERROR: Account resource insufficient|no OwnerAccount/u
      ],
      [
        signed(chain, { type: "TriggerSmartContract", owner, contract: other, callValue: 0n, data: "" }),
        /^CONTRACT_VALIDATE_ERROR: .*No contract/u
      ]
    ]
    for (const [transaction, expected] of cases) assert.match(refusal(chain, transaction), expected)
    assert.strictEqual(refusal(chain, good), "accepted")
    assert.match(refusal(chain, good), /^DUP_TRANSACTION_ERROR/u)
    chain.mine(now)
    assert.match(refusal(chain, good), /^DUP_TRANSACTION_ERROR/u)
  })

  it("counts what waits for a block against the balance", () => {
    const chain = started()
    const half = chain.store.get(keys.balance(owner)) / 2n
    assert.strictEqual(refusal(chain, signed(chain, pay(half))), "accepted")
    assert.match(refusal(chain, signed(chain, pay(half), { timestamp: 1n })), /not sufficient/u)
  })

  it("drops a transaction that waited past its expiration", () => {
    const chain = started()
    const late = signed(chain, pay(1_000n), { expiration: BigInt(chain.head().time) + 1n })
    assert.strictEqual(refusal(chain, late), "accepted")
    const other1 = chain.read(keys.balance(other), chain.head().number)
    chain.reorg(1, false, now + 10)
    chain.mine(now + 20)
    assert.isUndefined(chain.find(late.id))
    assert.strictEqual(chain.read(keys.balance(other), chain.head().number), other1)
  })

  it("takes back what a lost block did, and mines its transactions again when they are kept", () => {
    for (const keep of [true, false]) {
      const chain = started()
      const before = chain.store.get(keys.balance(owner))
      const transaction = signed(chain, pay(1_000n))
      chain.submit(transaction, now)
      const lost = chain.mine(now)
      assert.isDefined(chain.find(transaction.id))
      chain.reorg(1, keep, now)
      assert.notStrictEqual(chain.head().id, lost.id)
      assert.strictEqual(chain.head().number, lost.number)
      assert.isUndefined(chain.byId(lost.id))
      assert.strictEqual(chain.find(transaction.id) !== undefined, keep)
      assert.strictEqual(chain.store.get(keys.balance(other)), keep ? 1_000n : 0n)
      if (!keep) assert.strictEqual(chain.store.get(keys.balance(owner)), before)
    }
  })

  it("remembers what accounts held at every height", () => {
    const chain = started()
    for (const amount of [1n, 2n, 3n]) {
      chain.submit(signed(chain, pay(amount)), now)
      chain.mine(now)
    }
    const first = chain.head().number - 2
    const held = [0, 1, 2].map((step) => chain.read(keys.balance(other), first + step))
    assert.deepStrictEqual(held, [1n, 3n, 6n])
    assert.isUndefined(chain.read(keys.balance(other), first - 1))
  })

  it("is the same again when made from its snapshot, and is refused when that was changed", () => {
    const chain = started()
    chain.submit(signed(chain, pay(5n)), now)
    chain.mine(now)
    chain.reorg(1, true, now)
    const snapshot = chain.snapshot()
    const again = makeChain(2, snapshot)
    assert.strictEqual(again.head().id, chain.head().id)
    assert.strictEqual(again.store.get(keys.balance(other)), 5n)
    const [first] = snapshot.blocks
    assert.throws(() => makeChain(2, { ...snapshot, blocks: first === undefined ? [] : [first] }), /head/u)
  })

  it("charges for bandwidth once the free share of the day is used", () => {
    const chain = started()
    chain.submit(signed(chain, pay(2_000_000n)), now)
    chain.mine(now)
    const fees = [1n, 2n, 3n].map((amount) => {
      const transaction = signed(chain, pay(amount))
      chain.submit(transaction, now)
      chain.mine(now)
      const found = chain.find(transaction.id)?.executed.receipt
      return [found?.netUsage === 0n, found?.netFee === 0n]
    })
    assert.deepStrictEqual(fees, [
      [false, true],
      [false, true],
      [true, false]
    ])
  })
})
