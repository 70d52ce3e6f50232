import { hash } from "node:crypto"
import { makeSumTree } from "../../../src/solvency/SumTree.ts"

/** Builds a tree of so many leaves, keeps none of its nodes, and says what it came to. */
const leaves = Number(process.argv[2])
let nodes = 0
const tree = makeSumTree(
  { snapshotId: "019845e1-682f-4b02-a706-3b2422d13aec", currency: "USDT_TRON" },
  (bytes) => hash("sha256", bytes, "buffer"),
  () => {
    nodes += 1
  }
)
for (let number = 0; number < leaves; number++) {
  const tenantId = `tenant-${number}`
  tree.add({ tenantId, salt: hash("sha256", tenantId, "buffer"), units: BigInt(number) })
}
const { depth, total } = tree.finish()
console.log(JSON.stringify({ depth, nodes, total: String(total) }))
