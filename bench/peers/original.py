"""original.py CONFIG NAME: runs one route of a configuration file in the original to its end."""

import sys

import mq_bridge

if sys.argv[1:] == ["--version"]:
    print(mq_bridge.__version__)
    sys.exit()
config, name = sys.argv[1:]
mq_bridge.init_logging()
mq_bridge.Route.from_file(config, name).run()
