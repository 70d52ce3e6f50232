import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { unitsMax } from "../../src/solvency/preimages.ts"
import { depthOf, makeSumTree, type PlacedNode } from "../../src/solvency/SumTree.ts"
import { inclusionObjection, type InclusionPath, type PublishedTree } from "../../src/solvency/verifyInclusion.ts"

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()

const name = { snapshotId: "019845e1-682f-4b02-a706-3b2422d13aec", currency: "USDT_TRON" }

interface Leaf {
  readonly tenantId: string
  readonly salt: Uint8Array
  readonly units: bigint
}

const leafOf = (units: bigint, number: number): Leaf => ({
  tenantId: `tenant-${number}`,
  salt: sha256(Buffer.from(`salt ${number}`)),
  units
})

/** A tree of some leaves, and the path of each. */
const grow = (leaves: ReadonlyArray<Leaf>, of = name) => {
  const nodes = new Map<string, PlacedNode>()
  const tree = makeSumTree(of, sha256, (node) => {
    const place = `${node.level}:${node.index}`
    assert.isFalse(nodes.has(place), `${place} is handed out once`)
    nodes.set(place, node)
  })
  for (const leaf of leaves) tree.add(leaf)
  const root = tree.finish()
  const published: PublishedTree = { ...of, ...root }
  const pathOf = (index: number): InclusionPath => ({
    index,
    path: Array.from({ length: root.depth }, (_, level) => {
      const beside = nodes.get(`${level}:${Math.floor(index / 2 ** level) ^ 1}`)
      if (beside === undefined) throw new Error(`there is no node beside leaf ${index} at level ${level}`)
      return { hash: beside.hash, units: beside.units }
    })
  })
  return { published, pathOf, nodes }
}

const objection = (tree: PublishedTree, leaf: Leaf, inclusion: InclusionPath) =>
  Effect.runPromise(inclusionObjection(tree, leaf, inclusion))

const amount = fc.bigInt({ min: 0n, max: 2n ** 100n })
const amounts = fc.array(amount, { minLength: 1, maxLength: 70 })

/** Some leaves, one of them, and a number to choose what is changed. */
const chosen = fc.tuple(amounts, fc.nat(), fc.nat())

const check = (property: Parameters<typeof fc.assert>[0], numRuns = 100) => fc.assert(property, { numRuns })

describe("a sum tree", () => {
  it("proves every leaf, and sums up to the total", () =>
    check(
      fc.asyncProperty(amounts, async (all) => {
        const leaves = all.map(leafOf)
        const { pathOf, published } = grow(leaves)
        assert.strictEqual(
          published.total,
          all.reduce((sum, units) => sum + units, 0n)
        )
        assert.strictEqual(published.depth, depthOf(all.length))
        for (const [index, leaf] of leaves.entries())
          assert.isUndefined(await objection(published, leaf, pathOf(index)))
      }),
      40
    ))

  it("proves the first leaf, the last and any other whatever its size, with no more nodes than its paths need", () => {
    // about a power of two the last leaf stands alone, or has nobody beside it
    const nearPower = fc
      .tuple(fc.nat({ max: 11 }), fc.integer({ min: -1, max: 1 }))
      .map(([power, off]) => Math.max(1, 2 ** power + off))
    const size = fc.oneof(nearPower, fc.integer({ min: 1, max: 2_000 }))
    return check(
      fc.asyncProperty(size, fc.nat(), async (count, at) => {
        const leaves = Array.from({ length: count }, (_, number) => leafOf(BigInt(number) * 3n, number))
        const { nodes, pathOf, published } = grow(leaves)
        assert.isTrue(2 ** published.depth >= count && (count === 1 || 2 ** (published.depth - 1) < count))
        const levels = Array.from({ length: published.depth }, (_, level) => Math.ceil(count / 2 ** level))
        // on each level but the top, what stands alone is given one of nobody
        assert.strictEqual(nodes.size, 1 + levels.reduce((sum, one) => sum + one + (one % 2), 0))
        for (const index of new Set([0, count - 1, at % count]))
          assert.isUndefined(await objection(published, leaves[index] ?? leafOf(0n, 0), pathOf(index)))
        for (const more of [count + 1, 2 * count])
          assert.isString(await objection({ ...published, leaves: more }, leafOf(0n, more), pathOf(count - 1)))
      }),
      60
    )
  })

  it("is refused once anything of the leaf, the path or the root is another", () =>
    check(
      fc.asyncProperty(chosen, fc.bigInt({ min: 1n, max: 2n ** 64n }), async ([all, at, which], more) => {
        const leaves = all.map(leafOf)
        const index = at % leaves.length
        const leaf = leaves[index] ?? leafOf(0n, 0)
        const { pathOf, published } = grow(leaves)
        const right = pathOf(index)
        const flipped = (bytes: Uint8Array) => bytes.map((byte, place) => (place === which % 32 ? byte ^ 1 : byte))
        const step = which % Math.max(1, right.path.length)
        const changed = (change: (node: InclusionPath["path"][number]) => InclusionPath["path"][number]) => ({
          ...right,
          path: right.path.map((node, level) => (level === step ? change(node) : node))
        })
        const wrong: ReadonlyArray<readonly [PublishedTree, Leaf, InclusionPath]> = [
          [published, { ...leaf, units: leaf.units + more }, right],
          [published, { ...leaf, salt: flipped(leaf.salt) }, right],
          // a leaf that was shown to another tenant
          [published, { ...leaf, tenantId: "tenant-of-another" }, right],
          [{ ...published, snapshotId: "019845e1-682f-4b02-a706-3b2422d13aed" }, leaf, right],
          [{ ...published, currency: "USDC_ETH" }, leaf, right],
          [{ ...published, root: flipped(published.root) }, leaf, right],
          [{ ...published, total: published.total + more }, leaf, right],
          [{ ...published, leaves: published.leaves * 2 }, leaf, right],
          [published, leaf, { ...right, index: index + published.leaves }],
          [published, leaf, { ...right, index: -1 }],
          [published, leaf, { ...right, index: index + 0.5 }],
          [published, leaf, { ...right, path: [...right.path, { hash: published.root, units: 0n }] }],
          ...(right.path.length === 0
            ? []
            : ([
                [published, leaf, { ...right, path: right.path.slice(1) }],
                [published, leaf, { ...right, index: index ^ 1 }],
                [published, leaf, changed((node) => ({ ...node, units: node.units + more }))],
                [published, leaf, changed((node) => ({ ...node, hash: flipped(node.hash) }))],
                [published, leaf, changed((node) => ({ ...node, units: -more }))]
              ] as const))
        ]
        for (const [number, [tree, one, path]] of wrong.entries())
          assert.isString(await objection(tree, one, path), `change ${number}`)
      })
    ))

  it("is refused where its siblings are swapped", () =>
    check(
      fc.asyncProperty(fc.array(amount, { minLength: 2, maxLength: 33 }), fc.nat(), async (all, at) => {
        const leaves = all.map(leafOf)
        const index = at % leaves.length
        const leaf = leaves[index] ?? leafOf(0n, 0)
        const { pathOf, published } = grow(leaves)
        const { path } = pathOf(index)
        assert.isString(await objection(published, leaf, { index: index ^ 1, path }))
        const reversed = path.toReversed()
        if (path.length > 1) assert.isString(await objection(published, leaf, { index, path: reversed }))
      })
    ))
})

describe("who makes a tree", () => {
  const hidden = [leafOf(100n, 0), leafOf(250n, 1), leafOf(40n, 2)]

  /** A node that hashes whatever sums somebody likes. */
  const forge = (left: PlacedNode, right: PlacedNode): Uint8Array => {
    const sixteen = (units: bigint) => {
      const bytes = Buffer.alloc(16)
      const wrapped = BigInt.asUintN(128, units)
      bytes.writeBigUInt64BE(wrapped >> 64n)
      bytes.writeBigUInt64BE(wrapped & 0xffff_ffff_ffff_ffffn, 8)
      return bytes
    }
    const tag = Buffer.concat([Buffer.from("bursar-solvency-1"), Buffer.of(1)])
    return sha256(Buffer.concat([tag, left.hash, sixteen(left.units), right.hash, sixteen(right.units)]))
  }

  it("cannot put in a negative leaf, nor one that makes a sum too large", () => {
    const tree = makeSumTree(name, sha256, () => undefined)
    assert.throws(() => tree.add(leafOf(-1n, 0)))
    assert.throws(() => makeSumTree(name, sha256, () => undefined).add(leafOf(unitsMax + 1n, 0)))
    const large = makeSumTree(name, sha256, () => undefined)
    large.add(leafOf(unitsMax, 0))
    assert.throws(() => large.add(leafOf(1n, 1)), /more than an amount/u)
    assert.throws(() => makeSumTree(name, sha256, () => undefined).finish(), /a leaf at least/u)
  })

  it("cannot hide a liability behind a negative one, nor behind a sum that wraps around", async () => {
    const { nodes, pathOf } = grow(hidden.slice(0, 2))
    const [left, right] = [nodes.get("0:0"), nodes.get("0:1")]
    if (left === undefined || right === undefined) throw new Error("there are two leaves")
    for (const units of [-50n, 2n ** 128n - 50n]) {
      const lie = { ...right, units }
      const published: PublishedTree = {
        ...name,
        leaves: 2,
        depth: 1,
        root: forge(left, lie),
        // what the sum comes to in 128 bits
        total: BigInt.asUintN(128, left.units + units)
      }
      const path = { ...pathOf(0), path: [{ hash: lie.hash, units }] }
      assert.isString(await objection(published, leafOf(100n, 0), path))
    }
  })

  it("cannot give two tenants one leaf, nor publish less than the sum", async () => {
    const { pathOf, published } = grow(hidden)
    const [mine, theirs] = hidden
    if (mine === undefined || theirs === undefined) throw new Error("there are three leaves")
    assert.isUndefined(await objection(published, mine, pathOf(0)))
    assert.isString(await objection(published, { ...theirs, units: mine.units, salt: mine.salt }, pathOf(0)))
    assert.isString(await objection({ ...published, total: published.total - 40n }, mine, pathOf(0)))
  })

  it("cannot fill the tree up with a leaf twice (CVE-2012-2459) or with an amount", async () => {
    const three = grow(hidden)
    const four = grow([...hidden, ...hidden.slice(2)])
    assert.notDeepEqual([...three.published.root], [...four.published.root])
    const last = hidden[2] ?? leafOf(0n, 0)
    // the root of four leaves, said to be that of three
    const said = { ...four.published, leaves: 3 }
    assert.isString(await objection(said, last, four.pathOf(2)))
  })

  it("cannot pass a node off as a leaf", async () => {
    const { nodes, pathOf, published } = grow([...hidden, leafOf(7n, 3)])
    const above = nodes.get("1:0")
    if (above === undefined) throw new Error("there is a node")
    // a path from one level up, for a tree that is said to be shorter
    const shorter = { ...published, leaves: 2, depth: 1 }
    const path = { index: 0, path: pathOf(0).path.slice(1) }
    assert.isString(await objection(shorter, { ...leafOf(above.units, 0), salt: above.hash }, path))
  })
})
