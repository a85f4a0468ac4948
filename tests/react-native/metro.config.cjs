const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config')

// The stock configuration, but for what an app with a screen would set up: `environment.js` does without one.
module.exports = mergeConfig(getDefaultConfig(__dirname), {
  reporter: { update() {} },
  serializer: { getModulesRunBeforeMainModule: () => [] },
})
