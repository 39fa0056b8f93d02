"""OpenStack clouds for a laptop: several of them over one shared storage, over real HTTP.

The parts of Keystone, Nova, Cinder, Neutron, Glance and Placement that Cycloud uses, with the
refusals, the intermediate states and the sharp edges of the real ones. Guests are not run; volumes
hold bytes, so that a test can write and compare them. Where it differs from a real cloud, it is
wrong: the contract suite runs the same cases against both.
"""
