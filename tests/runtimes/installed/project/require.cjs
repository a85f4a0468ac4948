const { consume } = require('./consume.mjs')

void consume((name) => require(name))
