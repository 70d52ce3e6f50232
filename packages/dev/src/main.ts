#!/usr/bin/env node
import { requireNode } from "@bursar/cli/nodeVersion"

requireNode()
const [{ devCommand }, { runProgram }] = await Promise.all([
  import("./devCommand.ts"),
  import("@bursar/cli/runProgram")
])
runProgram(devCommand)
