#!/usr/bin/env node
import { requireNode } from "./nodeVersion.ts"

requireNode()
const [{ bursar }, { runProgram }] = await Promise.all([import("./bursar.ts"), import("./runProgram.ts")])
runProgram(bursar)
