// Bundles an entry as `react-native bundle` does: node bundle.cjs <entry> <output>.
const Metro = require('metro')

const [, , entry, out] = process.argv

async function bundle() {
  const config = await Metro.loadConfig({ cwd: __dirname })
  await Metro.runBuild(config, { entry, out, platform: 'android', dev: false, minify: false })
}

bundle().then(
  () => process.exit(0),
  (error) => {
    console.error(String(error))
    process.exit(1)
  },
)
